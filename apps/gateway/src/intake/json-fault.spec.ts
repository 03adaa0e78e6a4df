import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { explainJson } from './json-fault.js';

const explain = (text: string | Buffer): string => explainJson(Buffer.from(text));

it.each([
  ['{"userId":"u","a":NaN}', 'not JSON at byte 18: NaN'],
  ['{"a":-Infinity}', 'not JSON at byte 5: -Infinity'],
  ['{"a":None,"b":1}', 'not JSON at byte 5: None'],
  ['{"a":True}', 'not JSON at byte 5: True'],
  ['{"a":undefined}', 'not JSON at byte 5: undefined'],
  ['{"a":1,}', 'not JSON at byte 6: a comma before }'],
  ['{"a":[1,2, ]}', 'not JSON at byte 9: a comma before ]'],
  ["{'userId':'u'}", "not JSON at byte 1: a single quote ('), where JSON has double ones"],
  ['{"a":"ü" "b":1}', 'not JSON at byte 10: "'],
  ['{userId:"ada@example.com"}', 'not JSON at byte 1: a letter'],
  ['{"a":ada}', 'not JSON at byte 5: a letter'],
  ['{"a":007}', 'not JSON at byte 6: a digit'],
  ['{"a":"b\nc"}', 'not JSON at byte 7: a control character in a text, which must be escaped'],
  ['{"a":"\\x41"}', 'not JSON at byte 6: an escape that JSON does not have'],
  ['{"a":"b', 'not JSON at byte 7: the end, within a text'],
  ['{"a":[1', 'not JSON at byte 7: the end, before a ]'],
  ['{"a":1}{"a":2}', 'not JSON at byte 7: more text behind the end'],
  ['   ', 'not JSON at byte 3: the end'],
  ['', 'the body is empty'],
  ['\ufeff{}', 'begins with a byte order mark (BOM), which JSON must not have'],
  [Buffer.from('{"city":"K\xf6ln"}', 'latin1'), 'not UTF-8 at byte 10'],
  [Buffer.from('{"a":"ü€😀\xc3"}', 'utf8').fill(0xff, 15, 16), 'not UTF-8 at byte 15'],
  [Buffer.from('\ufeff{"a":1}', 'utf16le'), 'UTF-16, must be UTF-8'],
  [gzipSync('{"a":1}'), 'compressed by gzip, but without Content-Encoding: gzip'],
])('%j is %s', (text, words) => expect(explain(text)).toBe(words));

it('says where a text is not JSON exactly when it is not', () =>
  fc.assert(
    fc.property(
      fc.json(),
      fc.nat(),
      fc.constantFrom(
        '',
        '"',
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        '\\',
        '\\u00',
        '0',
        '-',
        '.',
        'e',
        "'",
        'ü',
        '\u0001',
        't',
      ),
      fc.nat(2),
      (json, place, put, cut) => {
        const index = place % (json.length + 1);
        const text = (json.slice(0, index) + put + json.slice(index + cut)).toWellFormed();
        const isJson = ((): boolean => {
          try {
            JSON.parse(text);
            return true;
          } catch {
            return false;
          }
        })();
        const words = explain(text);
        expect(words === 'not JSON').toBe(isJson);
        // Nothing of the text is repeated but one mark or a word of the list.
        if (!isJson && text !== '') expect(words).toMatch(/^not JSON at byte \d+: [\x20-\x7e]{1,60}$/);
      },
    ),
    { numRuns: 5_000 },
  ));

it('finds the first byte that is not UTF-8', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, behind) => {
      const bytes = Buffer.concat([Buffer.from(`"${before}`), Buffer.from([0xff]), Buffer.from(behind)]);
      expect(explain(bytes)).toBe(`not UTF-8 at byte ${Buffer.byteLength(before) + 1}`);
    }),
  ));

it('takes linear time', () => {
  for (const text of [
    '['.repeat(400_000),
    '"' + 'x'.repeat(800_000),
    '{"a":' + '1'.repeat(800_000) + 'x',
    '[' + '"\\n",'.repeat(150_000),
  ]) {
    const start = performance.now();
    explain(text);
    expect(performance.now() - start).toBeLessThan(2_000);
  }
});
