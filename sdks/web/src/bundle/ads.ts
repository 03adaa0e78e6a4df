import { createAds } from '../ads/index.js';

// `sluice.requestAd(body)`. The address is that of the tag's data, else where this file is from.
const page = window as unknown as { sluice?: object };
const script = document.currentScript as HTMLScriptElement | null;
const { apiPath, rtbPath } = script?.dataset ?? {};
const ads = createAds({ apiPath: apiPath ?? (script?.src && new URL(script.src).origin), rtbPath });
Object.assign((page.sluice ??= {}), ads);
