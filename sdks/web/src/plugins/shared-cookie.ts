import { attempt, type KeyValueStore, valueNames } from '@sluice/sdk-core';

const shared: readonly string[] = valueNames.slice(0, 3);
/** Seconds; browsers keep no cookie for longer. */
const longest = 400 * 86_400;

/**
 * Values that all subdomains share by a cookie, in addition to those of the page's own origin. The cookie's values win
 * when the page begins: another subdomain may have written them.
 * @param own values of the origin; undefined where localStorage is refused
 */
export function sharedCookie(
  own: KeyValueStore | undefined,
  source: string,
  page: Pick<Document, 'cookie' | 'location'> = document,
): KeyValueStore {
  const prefix = `sluice.${source}.`;
  /** The shared values; undefined until the first call, since nothing is read before consent. */
  let known: Record<string, string | null> | undefined;

  function begin(): Record<string, string | null> {
    const cookie = attempt(() => `; ${page.cookie}`.split(`; ${prefix}=`)[1]?.split(';')[0]?.split('/'));
    const values = shared.map((name, at) => {
      const stored = attempt(() => own?.get(name));
      const given = cookie?.[at] ?? '';
      const value = given === '' ? stored : given;
      if (value && value !== stored) {
        attempt(() => {
          own?.set(name, value);
        });
      }
      return [name, value ?? null] as const;
    });
    return Object.fromEntries(values);
  }

  /** Writes to the shortest domain that the browser accepts: `shop.example` for `www.shop.example`, never `example`. */
  function writeCookie(value: string, age: number): void {
    const labels = page.location.hostname.split('.');
    const domains = labels.map((_, at) => `;domain=${labels.slice(at).join('.')}`).reverse();
    const cookie = `${prefix}=${value}`;
    const secure = page.location.protocol === 'https:' ? ';secure' : '';
    attempt(() => {
      for (const domain of [...domains, '']) {
        page.cookie = `${cookie};path=/;max-age=${age};samesite=lax${domain}${secure}`;
        if (age > 0 && page.cookie.includes(cookie)) break;
      }
    });
  }

  return {
    get(name) {
      const values = (known ??= begin());
      return own ? own.get(name) : (values[name] ?? null);
    },
    set(name, value) {
      const values = (known ??= begin());
      values[name] = value;
      // No character of an id needs to be escaped.
      if (shared.includes(name)) writeCookie(shared.map((one) => values[one] ?? '').join('/'), longest);
      own?.set(name, value);
    },
    clear() {
      known = {};
      writeCookie('', 0);
      own?.clear();
    },
  };
}
