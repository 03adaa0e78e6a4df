declare const BUNDLE: string;
declare const INTEGRITY: string;

type Method = (...args: unknown[]) => unknown;

// Takes calls until the bundle is there, each with its time. Methods as those of a client.
interface Stub {
  /** Called by the bundle, which has put its own methods in the place of these. */
  replay(): void;
  [name: string]: Method;
}

const page = window as unknown as { sluice?: Stub };

if (!page.sluice) {
  let isLoaded = false;
  const early: (() => void)[] = [];
  const stub: Stub = (page.sluice = {
    replay() {
      isLoaded = true;
      for (const call of early) call();
    },
  });
  const names = 'createClient track identify reset flush close consent use requestAd requestSponsoredAd';
  for (const name of names.split(' ')) {
    stub[name] = (...args) => {
      // Somebody may have kept this function.
      if (isLoaded) return stub[name]?.(...args);
      if (name === 'track' || name === 'identify') args[2] = { timestamp: new Date(), ...(args[2] as object) };
      early.push(() => stub[name]?.(...args));
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
