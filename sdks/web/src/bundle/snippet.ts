declare const BUNDLE: string;
declare const INTEGRITY: string;

// Takes calls until the bundle is there, each with its time. Methods as in global.ts.
interface Stub {
  q: [name: string, args: unknown[], time: number][];
  [name: string]: unknown;
}

const page = window as unknown as { sluice?: Stub };

if (!page.sluice) {
  const stub: Stub = (page.sluice = { q: [] });
  const names = 'createClient track identify reset flush close consent use requestAd requestSponsoredAd';
  for (const name of names.split(' ')) {
    stub[name] = (...args: unknown[]) => {
      stub.q.push([name, args, Date.now()]);
      return name === 'createClient' ? stub : true;
    };
  }
  const own = document.currentScript as HTMLScriptElement;
  const script = document.createElement('script');
  Object.assign(script.dataset, own.dataset);
  script.async = true;
  script.crossOrigin = 'anonymous';
  script.integrity = INTEGRITY;
  script.nonce = own.nonce;
  // From `/sdk/` as from `/sdk/<major>/`: files with a hash lie in the former.
  script.src = (own.dataset['sdkPath'] ?? own.src.replace(/(\d+\/)?[^/]*$/, '')) + BUNDLE;
  document.head.append(script);
}
