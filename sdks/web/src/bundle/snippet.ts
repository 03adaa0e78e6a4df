declare const BUNDLE: string;
declare const INTEGRITY: string;
declare const MAJOR: string;

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string, Method>;

// Takes calls, each with its time, until the bundle is loaded. Its methods return the values that a client's do.
interface Stub extends Methods {
  /** Called by the bundle, which has put its own methods in the place of these. */
  replay(): void;
}

const page = window as unknown as { sluice?: Stub };
const eventName = /^[\w.-]{1,64}$/;
const methods = 'track identify reset flush close consent use';

if (!page.sluice) {
  const tag = document.currentScript as HTMLScriptElement;
  const earlyCalls: (() => void)[] = [];
  let isLoaded = false;
  /** True if the bundle cannot be loaded: calls are no longer taken. */
  let isMissing = false;

  /** The answer to a waiting call, as far as it is known. */
  function takeCall(name: string, args: unknown[], callClient: () => unknown): unknown {
    let settle: Method = () => undefined;
    earlyCalls.push(() => {
      settle(isMissing ? { sent: 0, left: earlyCalls.length } : callClient());
    });
    if (/^(flush|close)$/.test(name)) return new Promise((resolve) => (settle = resolve));
    if (name === 'track') return !isMissing && eventName.test(String(args[0]));
    return name === 'identify' ? !isMissing : undefined;
  }

  /** Methods whose calls wait for the bundle. `client` returns their client once the bundle is loaded. */
  function makeStub(client: () => Methods | undefined): Methods {
    const stub: Methods = {};
    for (const name of methods.split(' ')) {
      stub[name] = (...args) => {
        // The page may have kept this function.
        if (isLoaded) return client()?.[name]?.(...args);
        if (name === 'track' || name === 'identify') args[2] = { timestamp: new Date(), ...(args[2] as object) };
        const answer = takeCall(name, args, () => client()?.[name]?.(...args));
        if (isMissing) earlyCalls.pop()?.();
        return answer;
      };
    }
    return stub;
  }

  page.sluice = Object.assign(
    makeStub(() => page.sluice),
    {
      createClient(options: unknown) {
        if (isLoaded) return page.sluice?.['createClient']?.(options);
        let client: Methods | undefined;
        earlyCalls.push(() => {
          if (!isMissing) client = page.sluice?.['createClient']?.(options) as Methods;
        });
        return makeStub(() => client);
      },
      replay() {
        isLoaded = true;
        for (const call of earlyCalls) call();
      },
    },
  );

  const load = (file: string, integrity: string, onFailure: () => void): void => {
    const script = document.createElement('script');
    Object.assign(script.dataset, tag.dataset);
    script.async = true;
    script.crossOrigin = 'anonymous';
    script.integrity = integrity;
    script.nonce = tag.nonce;
    script.onerror = onFailure;
    // Files with a hash lie in `/sdk/`, also if this one was loaded from `/sdk/<major>/`.
    script.src = (tag.dataset['sdkPath'] ?? tag.src.replace(/(\d+\/)?[^/]*$/, '')) + file;
    document.head.append(script);
  };
  const giveUp = (): void => {
    isMissing = true;
    console.warn('sluice: the bundle cannot be loaded, nothing is sent');
    for (const call of earlyCalls) call();
    earlyCalls.length = 0;
  };
  // Another gateway, or a newer release, may not have the file with this hash.
  const loadLatest = (): void => load(`${MAJOR}/sluice.js`, '', giveUp);
  if (BUNDLE) load(BUNDLE, INTEGRITY, loadLatest);
  else loadLatest();
}
