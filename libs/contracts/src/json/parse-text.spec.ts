import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseText } from './parse-text.js';

const names = ['\u0000', '\\', '\u0001', 'a', '"', '\n', '\u0000a', '\\\\', 'b', '/', 'é', '', 'a"\n', '__proto__'];

it('reads every name as it was written, whatever the names around it', () =>
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 6 }), (sent) => {
      const text = `[{"x":{${sent.map((name, i) => `${JSON.stringify(name)}:${i}`).join(' , ')}}}]`;
      const [{ x }] = parseText(text) as [{ x: object }];
      expect(Object.entries(x)).toEqual(sent.map((name, i) => [name, i]));
    }),
    { numRuns: 5_000 },
  ));

it('reads names that are escaped without need, and leaves values unchanged', () => {
  const text = String.raw`{"\u0061":"\"\n\":","\u00e9" :["\n"],"k":"\\":"}`.replace(
    String.raw`"\\":"}`,
    String.raw`"\\"}`,
  );
  expect(parseText(text)).toEqual({ a: '"\n":', é: ['\n'], k: '\\' });
});

it.each(['', '{', '{"a":}', '{"\\n"}', '{"\\x":1}'])('refuses %s', (text) =>
  expect(() => parseText(text)).toThrow(SyntaxError),
);
