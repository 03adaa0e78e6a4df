import { describe, expect, it } from 'vitest';
import { acceptsOrigin, parseOrigin } from './origin.js';

describe('parseOrigin', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['HTTPS://Shop.Example', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
    ['http://[::1]:8000', 'http://[::1]:8000'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://*.shop.example', 'https://*.shop.example'],
    ['https://*.Shop.example:8443', 'https://*.shop.example:8443'],
  ])('writes %s as browsers do', (text, origin) => expect(parseOrigin(text)).toBe(origin));

  it.each([
    '',
    '*',
    'null',
    'shop.example',
    '//shop.example',
    'https://',
    'https://*',
    'https://*.',
    'ftp://shop.example',
    'https://shop.example/',
    'https://shop.example/a',
    'https://shop.example?a',
    'https://shop.example#a',
    'https://user@shop.example',
    'https://shop.example:',
    'https://shop.example:99999',
    'https://a b.example',
    'https://shop.*',
    'https://a.*.example',
    'https://*shop.example',
    'https://*.*.example',
    'https://*.example',
    'https://*.127.0.0.1',
    'https://*.[::1]',
    'https://shop.example\\x',
    'chrome-extension://abc',
    'https://a,b\n',
  ])('refuses %j', (text) => expect(parseOrigin(text)).toBeUndefined());

  it('leaves what it made as it is', () => {
    for (const text of ['https://shop.example', 'https://*.shop.example:8443', 'http://[::1]:8000'])
      expect(parseOrigin(text)).toBe(text);
  });
});

describe('acceptsOrigin', () => {
  const accepts = (origin: string | undefined, ...origins: string[]): boolean => acceptsOrigin({ origins }, origin);
  const wildcard = 'https://*.shop.example';

  it('takes any page where the source names no origins, and whoever sends no origin', () => {
    expect(acceptsOrigin({}, 'https://elsewhere.example')).toBe(true);
    expect(accepts(undefined, 'https://shop.example')).toBe(true);
  });

  it.each(['https://www.shop.example', 'https://a.b.shop.example', 'https://x-1.shop.example'])(
    'takes the subdomain %s',
    (origin) => expect(accepts(origin, wildcard)).toBe(true),
  );

  it.each([
    'https://shop.example',
    'http://www.shop.example',
    'https://www.shop.example:8443',
    'https://.shop.example',
    'https://evilshop.example',
    'https://evil.example/.shop.example',
    'https://evil.example#.shop.example',
    'https://evil.example, https://www.shop.example',
    'https://a@www.shop.example',
    'null',
    '',
  ])('refuses %j, which is not a subdomain', (origin) => expect(accepts(origin, wildcard)).toBe(false));

  it('takes each of several origins, and refuses all pages where the list is empty', () => {
    expect(accepts('https://b.example', 'https://a.example', 'https://b.example')).toBe(true);
    expect(accepts('https://c.example', 'https://a.example', 'https://b.example')).toBe(false);
    expect(accepts('https://a.example')).toBe(false);
  });
});
