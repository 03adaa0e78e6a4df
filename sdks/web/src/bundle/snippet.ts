declare const BUNDLE: string;
declare const INTEGRITY: string;
declare const MAJOR: string;

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string, Method>;

// Takes calls, each with its time, until the bundle is loaded. Its methods return what those of a client do.
interface Stub extends Methods {
  /** Called by the bundle, which has put its own methods in the place of these. */
  replay(): void;
}

const page = window as unknown as { sluice?: Stub };
const eventName = /^[\w.-]{1,64}$/;
const methods = 'track identify reset flush close consent use';

if (!page.sluice) {
  const own = document.currentScript as HTMLScriptElement;
  const early: (() => void)[] = [];
  let isLoaded = false;
  /** True if the bundle cannot be loaded: calls are no longer taken. */
  let isMissing = false;

  /** The answer to a waiting call, as far as it is known. */
  function answerOf(name: string, args: unknown[], made: () => unknown): unknown {
    let settle: Method = () => undefined;
    early.push(() => {
      settle(isMissing ? { sent: 0, left: early.length } : made());
    });
    if (/^(flush|close)$/.test(name)) return new Promise((resolve) => (settle = resolve));
    if (name === 'track') return !isMissing && eventName.test(String(args[0]));
    return name === 'identify' ? !isMissing : undefined;
  }

  /** Methods whose calls wait for the bundle. `client` returns their client once the bundle is loaded. */
  function stubOf(client: () => Methods | undefined): Methods {
    const stub: Methods = {};
    for (const name of methods.split(' ')) {
      stub[name] = (...args) => {
        // The page may have kept this function.
        if (isLoaded) return client()?.[name]?.(...args);
        if (name === 'track' || name === 'identify') args[2] = { timestamp: new Date(), ...(args[2] as object) };
        const answer = answerOf(name, args, () => client()?.[name]?.(...args));
        if (isMissing) early.pop()?.();
        return answer;
      };
    }
    return stub;
  }

  page.sluice = Object.assign(
    stubOf(() => page.sluice),
    {
      createClient(options: unknown) {
        if (isLoaded) return page.sluice?.['createClient']?.(options);
        let client: Methods | undefined;
        early.push(() => {
          if (!isMissing) client = page.sluice?.['createClient']?.(options) as Methods;
        });
        return stubOf(() => client);
      },
      replay() {
        isLoaded = true;
        for (const call of early) call();
      },
    },
  );

  const load = (file: string, integrity: string, failed: () => void): void => {
    const script = document.createElement('script');
    Object.assign(script.dataset, own.dataset);
    script.async = true;
    script.crossOrigin = 'anonymous';
    script.integrity = integrity;
    script.nonce = own.nonce;
    script.onerror = failed;
    // Files with a hash lie in `/sdk/`, also if this one was loaded from `/sdk/<major>/`.
    script.src = (own.dataset['sdkPath'] ?? own.src.replace(/(\d+\/)?[^/]*$/, '')) + file;
    document.head.append(script);
  };
  const give = (): void => {
    isMissing = true;
    console.warn('sluice: the bundle cannot be loaded, nothing is sent');
    for (const call of early) call();
    early.length = 0;
  };
  // Another gateway, or a newer release, may not have the file with this hash.
  const latest = (): void => load(`${MAJOR}/sluice.js`, '', give);
  if (BUNDLE) load(BUNDLE, INTEGRITY, latest);
  else latest();
}
