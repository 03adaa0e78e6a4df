import { expect, it } from 'vitest';
import { fakeStorage } from '../queue/fake-storage.spec-support.js';
import { createValues } from '../page/values.js';
import { sharedCookie } from './shared-cookie.js';

/** A page whose browser accepts cookies of `shop.example` and its subdomains, but not of `example`. */
function aPage(jar: Map<string, string>, hostname = 'www.shop.example') {
  return {
    location: { hostname, protocol: 'https:' },
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(text: string) {
      const [pair = '', ...attributes] = text.split(';');
      const [name = '', value = ''] = pair.split(/=(.*)/);
      if (attributes.includes('domain=example')) return;
      if (attributes.includes('max-age=0')) jar.delete(name);
      else jar.set(name, value);
    },
  } as unknown as Document;
}

const valuesOf = (source: string, storage: Storage | undefined, page: Document) =>
  sharedCookie(storage && createValues(source, storage), source, page);

it('another subdomain finds the same device and person', () => {
  const jar = new Map<string, string>();
  const one = valuesOf('Source000001', fakeStorage(), aPage(jar));
  for (const name of ['device', 'anonymousId', 'userId']) one.set(name, `${name}=1|a`);
  const other = valuesOf('Source000001', fakeStorage(), aPage(jar, 'm.shop.example'));
  expect(['device', 'anonymousId', 'userId'].map((name) => other.get(name))).toEqual([
    'device=1|a',
    'anonymousId=1|a',
    'userId=1|a',
  ]);
});

it('another source has values of its own', () => {
  const [jar, storage] = [new Map<string, string>(), fakeStorage()];
  valuesOf('Source000001', storage, aPage(jar)).set('device', 'd-1');
  expect(valuesOf('Source000002', storage, aPage(jar)).get('device')).toBeNull();
});

it('a cookie is enough where localStorage is refused, and localStorage where cookies are', () => {
  const jar = new Map<string, string>();
  valuesOf('Source000001', undefined, aPage(jar)).set('device', 'd-1');
  expect(valuesOf('Source000001', undefined, aPage(jar)).get('device')).toBe('d-1');

  const refusing = {
    location: { hostname: 'shop.example', protocol: 'https:' },
    get cookie(): string {
      throw new DOMException('refused', 'SecurityError');
    },
  } as Document;
  const storage = fakeStorage();
  valuesOf('Source000001', storage, refusing).set('device', 'd-2');
  expect(valuesOf('Source000001', storage, refusing).get('device')).toBe('d-2');
});

it('what was erased is in no store', () => {
  const [jar, storage] = [new Map<string, string>(), fakeStorage()];
  const values = valuesOf('Source000001', storage, aPage(jar));
  for (const name of ['device', 'userId', 'lost']) values.set(name, '1');
  values.clear();
  expect([jar.size, storage.length, values.get('device')]).toEqual([0, 0, null]);
});
