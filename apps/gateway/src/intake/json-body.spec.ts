import { parseText } from '@sluice/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonBody } from './json-body.js';

const bodyOf = (text: string): JsonBody => new JsonBody(Buffer.from(text), { maxUnchecked: 0 });
const isRefused = (read: () => unknown): boolean => {
  try {
    read();
    return false;
  } catch {
    return true;
  }
};

const names = fc.constantFrom('list', 'a', '"', '\\', 'l', '[', '}', '__proto__');
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('1', '"x"', '"],["', '"\\""', 'null', ' true '),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(' ,')}]`),
    fc
      .array(fc.tuple(names, tie('value')), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)} : ${String(value)}`).join()}}`),
  ),
})).value;
const lists = fc.array(values, { maxLength: 5 }).map((items) => `"list":[${items.join()}]`);
const batches = fc
  .array(
    fc.oneof(
      lists,
      values.map((value) => `"list":${value}`),
      values.map((value) => `"l\\u0069st":${value}`),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((members) => `{${members.join(' , ')}}`);

it('reads the same value item by item as at once', () => {
  fc.assert(
    fc.property(batches, (text) => {
      expect(JSON.stringify(bodyOf(text).value)).toBe(JSON.stringify(parseText(text)));
    }),
    { numRuns: 5_000 },
  );
});

it('refuses what is not JSON, wherever the fault is', () => {
  const broken = fc
    .tuple(batches, fc.nat(), fc.constantFrom('', '"', '[', ']', '{', '}', ',', ':', '\\'))
    .map(([text, at, put]) => `${text.slice(0, at % text.length)}${put}${text.slice((at % text.length) + 1)}`);
  fc.assert(
    fc.property(broken, (text) => {
      expect(isRefused(() => bodyOf(text).value)).toBe(isRefused(() => JSON.parse(text) as unknown));
    }),
    { numRuns: 5_000 },
  );
});

it('parses one item at least in each turn', () => {
  const body = bodyOf('{"list":[{"a":1},{"b":2},{"c":3}]}');
  expect([1, 2, 3].map(() => body.parseUntil(0))).toEqual([false, false, true]);
  expect(body.value).toEqual({ list: [{ a: 1 }, { b: 2 }, { c: 3 }] });
});

const membersOf = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"p${i}":1`).join()}}`;

it.each([
  ['a message', (count: number) => membersOf(count)],
  ['an item', (count: number) => `{"list":[{},${membersOf(count)}]}`],
  ['an item of an earlier list', (count: number) => `{"list":[${membersOf(count - 2)}],"list":[{}]}`],
  ['the members next to the list', (count: number) => `{"x":${membersOf(count - 2)},"list":[{}]}`],
  ['a list of too many items', (count: number) => `{"list":[${membersOf(count - 101)}${',{"a":1}'.repeat(100)}]}`],
])('refuses more members than can be stored in %s', (_, textOf) => {
  expect(isRefused(() => bodyOf(textOf(8_192)).value)).toBe(false);
  expect(isRefused(() => bodyOf(textOf(8_193)))).toBe(true);
});

it('takes many members in many items', () => {
  const text = `{"list":[${Array.from({ length: 100 }, () => membersOf(500)).join()}]}`;
  expect(bodyOf(text).value).toEqual(JSON.parse(text));
});
