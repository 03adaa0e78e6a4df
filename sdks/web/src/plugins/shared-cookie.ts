import { attempt, type KeyValueStore, valueNames } from '@sluice/sdk-core';

const sharedNames: readonly string[] = valueNames.slice(0, 3);
/** Seconds; browsers keep no cookie for longer. */
const longest = 400 * 86_400;

/**
 * Values that all subdomains share by a cookie, in addition to those of the page's own origin. The cookie's values win
 * when the page begins: another subdomain may have written them.
 * @param originValues values of the origin; undefined where localStorage is refused
 */
export function sharedCookie(
  originValues: KeyValueStore | undefined,
  source: string,
  page: Pick<Document, 'cookie' | 'location'> = document,
): KeyValueStore {
  const prefix = `sluice.${source}.`;
  /** The shared values; undefined until the first call, since nothing is read before consent. */
  let sharedValues: Record<string, string | null> | undefined;

  function readShared(): Record<string, string | null> {
    const cookie = attempt(() => `; ${page.cookie}`.split(`; ${prefix}=`)[1]?.split(';')[0]?.split('/'));
    const values = sharedNames.map((name, index) => {
      const stored = attempt(() => originValues?.get(name));
      const cookieValue = cookie?.[index] ?? '';
      const value = cookieValue === '' ? stored : cookieValue;
      if (value && value !== stored) {
        attempt(() => {
          originValues?.set(name, value);
        });
      }
      return [name, value ?? null] as const;
    });
    return Object.fromEntries(values);
  }

  /** Writes to the shortest domain that the browser accepts: `shop.example` for `www.shop.example`, never `example`. */
  function writeCookie(value: string, age: number): void {
    const labels = page.location.hostname.split('.');
    const domains = labels.map((_, start) => `;domain=${labels.slice(start).join('.')}`).reverse();
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
      const values = (sharedValues ??= readShared());
      return originValues ? originValues.get(name) : (values[name] ?? null);
    },
    set(name, value) {
      const values = (sharedValues ??= readShared());
      values[name] = value;
      // No character of an id needs to be escaped.
      if (sharedNames.includes(name))
        writeCookie(sharedNames.map((sharedName) => values[sharedName] ?? '').join('/'), longest);
      originValues?.set(name, value);
    },
    clear() {
      sharedValues = {};
      writeCookie('', 0);
      originValues?.clear();
    },
  };
}
