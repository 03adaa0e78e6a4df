import { createAds } from '../ads/index.js';

// `sluice.requestAd(body)`. The address is in the data attributes of the tag; by default it is this file's origin.
const page = window as unknown as { sluice?: object };
const script = document.currentScript as HTMLScriptElement | null;
const { apiPath, rtbPath } = script?.dataset ?? {};
const ads = createAds({ apiPath: apiPath ?? (script?.src && new URL(script.src).origin), rtbPath });
Object.assign((page.sluice ??= {}), ads);
