import { type Source } from '@sluice/sources';
import { describe, expect, it } from 'vitest';
import { readClientFacts, headerName, userAgentText } from './client-facts.js';

const aSource = (changes: Partial<Source> = {}): Source => ({
  sourceIdentifier: 'AbCdEf123456',
  name: 'Shop',
  type: 'web-sdk',
  status: 'enabled',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...changes,
});
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
const headers = { 'user-agent': chrome, 'cf-ipcountry': 'de' };
const factsOf = (source: Source, sent = {}) => readClientFacts(source, { ...headers, ...sent }, 'cf-ipcountry');

describe('the user agent', () => {
  it.each(['web-sdk', 'android-sdk', 'ios-sdk'] as const)('of a %s source is the header', (type) => {
    expect(factsOf(aSource({ type }))).toEqual({ userAgentFrom: 'header', userAgent: chrome, country: 'DE' });
  });

  it.each(['tracking-api', 'catalog-api'] as const)('of a %s source is not the header of its server', (type) => {
    expect(factsOf(aSource({ type }))).toEqual({ userAgentFrom: 'context', userAgent: undefined, country: undefined });
  });

  it('of a source that drops it is nowhere; the country stays', () => {
    const dropped = factsOf(aSource({ userAgent: 'drop' }));
    expect(dropped).toEqual({ userAgentFrom: 'nowhere', userAgent: undefined, country: 'DE' });
    expect(factsOf(aSource({ userAgent: 'drop', type: 'tracking-api' })).userAgentFrom).toBe('nowhere');
  });

  it('in UTF-8 is read as such, and as Latin-1 otherwise', () => {
    const sent = (text: string, encoding: BufferEncoding) =>
      factsOf(aSource(), { 'user-agent': Buffer.from(text, encoding).toString('latin1') }).userAgent;
    expect(sent('Läden/1.0 فروشگاه', 'utf8')).toBe('Läden/1.0 فروشگاه');
    expect(sent('Läden/1.0', 'latin1')).toBe('Läden/1.0');
  });
});

describe('the text of a user agent', () => {
  it.each([
    ['an ordinary one', chrome, chrome],
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['one with control characters', 'a\u0000\u001b[31mb\r\nc\u0085d', 'a [31mb c d'],
    ['one with spaces around it', '  App/1.0\t', 'App/1.0'],
    ['half of a surrogate pair', 'a\ud83d', 'a\ufffd'],
    ['an empty one', '', undefined],
    ['one of spaces', '   ', undefined],
    ['one of control characters', '\u0001'.repeat(8_192), undefined],
  ])('%s', (_, text, stored) => expect(userAgentText(text)).toBe(stored));

  it('of 8 KB is cut at 256 characters, counted as code points', () => {
    expect(userAgentText('x'.repeat(8_192))).toBe('x'.repeat(256));
    expect(userAgentText('🌹'.repeat(4_096))).toBe('🌹'.repeat(256));
    expect(userAgentText('x'.repeat(256))).toBe('x'.repeat(256));
  });

  it('never has control characters, halves of pairs, or more than 256 characters', () => {
    for (let i = 0; i < 2_000; i++) {
      const units = Array.from({ length: i % 700 }, (_, at) => (i * 7_919 + at * 104_729) % 65_536);
      const stored = userAgentText(String.fromCharCode(...units)) ?? '';
      expect(stored.isWellFormed()).toBe(true);
      expect(stored).not.toMatch(/\p{Cc}/u);
      expect(Array.from(stored).length).toBeLessThanOrEqual(256);
    }
  });
});

describe('the country', () => {
  it.each([
    ['DE', 'DE'],
    ['ir', 'IR'],
    ['T1', undefined],
    ['DEU', undefined],
    ['', undefined],
    ['DE, FR', undefined],
    ['198.51.100.7', undefined],
    ['<b', undefined],
    [['DE', 'FR'], undefined],
  ])('%j is stored as %s', (sent, stored) => expect(factsOf(aSource(), { 'cf-ipcountry': sent }).country).toBe(stored));

  it('is not read without the name of a header', () => {
    expect(readClientFacts(aSource(), headers, undefined).country).toBeUndefined();
  });

  it('has a header, whose name may be in any case and must be valid', () => {
    const read = (text: string) => headerName()._parse(text);
    expect(read('CF-IPCountry')).toBe('cf-ipcountry');
    expect(() => read('CF IPCountry')).toThrow('must be the name of a header');
  });
});
