import { type FreeForm } from '@sluice/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeFormBounds, keepStorable } from './free-form.js';
import { Report } from './report.js';

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_\-.$]{1,8}$/),
  fc.constantFrom('a', 'b', 'a.b', 'a.b.c', '__proto__', 'constructor', 'toString', 'a..b', '.a'),
);
const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\ud800',
    'x'.repeat(4_097),
    '🌹'.repeat(4_096),
    Infinity,
    -Infinity,
    2 ** 53,
    2 ** 53 + 2,
    1e300,
    Number.MIN_VALUE,
    null,
  ),
  fc.double({ noNaN: true }),
  fc.boolean(),
);
const { object } = fc.letrec<{ value: unknown; object: FreeForm; array: unknown[] }>((tie) => ({
  value: fc.oneof({ depthSize: 'medium', maxDepth: 10 }, scalar, tie('object'), tie('array')),
  object: fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
  array: fc.oneof(fc.array(tie('value'), { maxLength: 5 }), fc.constant(Array(257).fill(1))),
}));

const shaped = (value: FreeForm, names: 'free' | 'restricted' = 'free') => {
  const report = new Report();
  return { kept: keepStorable(value, 'p', names, report, 0), report };
};
const text = (value: unknown): string => JSON.stringify(value);

/** Yields every value in an object with its level; dots in names count as levels. */
function* valuesIn(value: unknown, level = 0): Generator<{ value: unknown; level: number }> {
  yield { value, level };
  if (Array.isArray(value)) for (const item of value) yield* valuesIn(item, level + 1);
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value)) yield* valuesIn(member, level + key.split('.').length);
}

describe('keepStorable', () => {
  it('keeps nothing that is out of bounds', () =>
    fc.assert(
      fc.property(object, (sent) => {
        for (const { value, level } of valuesIn(shaped(sent).kept)) {
          if (typeof value === 'object' && value !== null) expect(level).toBeLessThan(freeFormBounds.depth);
          if (Array.isArray(value)) expect(value.length).toBeLessThanOrEqual(freeFormBounds.arrayItems);
          if (typeof value === 'string')
            expect([value.isWellFormed(), Array.from(value).length <= 4_096]).toEqual([true, true]);
          if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
          if (Number.isInteger(value)) expect(Math.abs(Number(value))).toBeLessThanOrEqual(2 ** 53);
        }
      }),
    ));

  it('changes nothing the second time', () =>
    fc.assert(
      fc.property(object, (sent) => {
        const { kept } = shaped(sent);
        const again = shaped(kept);
        expect(text(again.kept)).toBe(text(kept));
        expect(again.report.dropped).toEqual([]);
      }),
    ));

  it('returns the sent object itself when nothing is dropped and no name has a dot, and never changes it', () =>
    fc.assert(
      fc.property(object, (sent) => {
        const before = text(sent);
        const { kept, report } = shaped(sent);
        expect(text(sent)).toBe(before);
        if (report.dropped.length === 0 && !before.includes('.')) expect(kept).toBe(sent);
        if (text(kept) === before.replaceAll('{}', 'null')) expect(report.dropped).toEqual([]);
      }),
    ));

  it('reports a drop when an object lost a value', () => {
    const count = (value: unknown): number =>
      [...valuesIn(value)].filter(({ value: one }) => one !== null && typeof one !== 'object').length;
    fc.assert(
      fc.property(object, (sent) => {
        const { kept, report } = shaped(sent);
        if (count(kept) < count(sent)) expect(report.dropped).not.toEqual([]);
      }),
    );
  });
});

it('keeps members named like built-in properties, also next to dropped members', () => {
  const sent = JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":2},"toString":3,"gone":1e400}') as FreeForm;
  const { kept, report } = shaped(sent, 'restricted');
  expect(text(kept)).toBe('{"__proto__":{"x":1},"constructor":{"prototype":2},"toString":3}');
  expect(report.dropped.map(({ field }) => field)).toEqual(['p.gone']);
});

it.each<[string, FreeForm, string, string[]]>([
  ['the second of two values at one path', { a: { b: 1 }, 'a.b': 2 }, '{"a":{"b":1}}', ['p.a.b']],
  ['a value above another', { 'a.b': 2, a: 1 }, '{"a.b":2}', ['p.a']],
  ['a value below another', { a: 1, 'a.b': 2 }, '{"a":1}', ['p.a.b']],
  ['nothing where paths only look alike', { 'a.b': 1, 'a.c': 2, ab: 3 }, '{"a.b":1,"a.c":2,"ab":3}', []],
  ['nothing across items', { l: [{ 'a.b': 1 }, { a: { b: 2 } }] }, '{"l":[{"a.b":1},{"a":{"b":2}}]}', []],
  ['values by their place as sent', { l: [Infinity, { 'a.b': 1, a: 2 }] }, '{"l":[{"a.b":1}]}', ['p.l[0]', 'p.l[1].a']],
  ['nothing because of a null', { a: null, 'a.b': 2 }, '{"a.b":2}', []],
  [
    'levels made of dots',
    { 'a.b.c.d.e.f.g.h': 1, 'a.b.c.d.e.f.g.h.i': 1 },
    '{"a.b.c.d.e.f.g.h":1}',
    ['p.a.b.c.d.e.f.g.h.i'],
  ],
  [
    'nulls next to arrays or objects',
    { a: [null, [1]], b: [null], c: [null, 1] },
    '{"a":[[1]],"b":[],"c":[null,1]}',
    ['p.a[0]', 'p.b[0]'],
  ],
])('drops %s', (_, sent, kept, dropped) => {
  const result = shaped(sent);
  expect(text(result.kept)).toBe(kept);
  expect(result.report.dropped.map(({ field }) => field)).toEqual(dropped);
});
