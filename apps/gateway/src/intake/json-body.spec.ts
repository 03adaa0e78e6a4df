import { parseText } from '@sluice/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonBody } from './json-body.js';
import { segmentList } from './json-outline.js';

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

it.each([
  ['one list', '{"list":[{"a":1},{"b":2}]}', '{"b":2}'],
  ['a list that a later one replaces', '{"list":[{"a":1}],"list":[{"b":2},{"c":3}]}', '{"c":3}'],
  ['a list after an escaped one', '{"l\\u0069st":[{"a":1}],"list":[{"b":2}, {"c":3} ]}', '{"c":3}'],
  ['a list before an escaped one, which is that of the value', '{"list":[{"a":1},{}],"l\\u0069st":[{},{"b":2}]}', ''],
])('has the text of an item of %s', (_, text, item) => {
  for (const maxUnchecked of [0, 1_000]) {
    const body = new JsonBody(Buffer.from(text), { maxUnchecked });
    expect(body.value).toEqual(JSON.parse(text));
    expect(body.itemText(1)).toBe(item);
  }
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

const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const lenient = (text: string | Buffer, maxUnchecked?: number): JsonBody =>
  new JsonBody(Buffer.from(text), {
    list: segmentList,
    isLenient: true,
    ...(maxUnchecked !== undefined && { maxUnchecked }),
  });

it.each([
  ['NaN', '{"b":NaN}', 'is not JSON at byte 26: NaN'],
  ['a comma too many', '{"b":1,}', 'is not JSON at byte 27: a comma before }'],
  ['single quotes', "{'b':1}", "is not JSON at byte 22: a single quote ('), where JSON has double ones"],
  ['no UTF-8', Buffer.from('{"b":"\xf6"}', 'latin1'), 'is not UTF-8 at byte 27'],
  ['nothing', ' ', 'is missing at byte 21'],
])('a lenient body leaves out an item with %s, and has all others', (_, item, fault) => {
  const text = Buffer.concat([Buffer.from('{"batch":[{"a":"ü"},'), Buffer.from(item), Buffer.from(',{"c":2}],"x":1}')]);
  for (const maxUnchecked of [0, 1_000]) {
    const body = lenient(text, maxUnchecked);
    expect(body.value).toEqual({ batch: [{ a: 'ü' }, undefined, { c: 2 }], x: 1 });
    expect([0, 1, 2].map((index) => body.itemFault(index))).toEqual([undefined, fault, undefined]);
    expect(body.itemText(1)).toBe(item.toString('utf8').trim());
  }
});

it.each([
  ['deeper than 32 levels', deep(31), 'is nested deeper than 32 levels'],
  ['with more than 8,192 members', membersOf(8_193), 'has more than 8192 members in all its levels'],
])('a long lenient body leaves out an item %s, which others refuse whole', (_, item, fault) => {
  const text = `{"batch":[{"a":1},${item}]}`;
  const body = lenient(text, 0);
  expect(body.value).toEqual({ batch: [{ a: 1 }, undefined] });
  expect(body.itemFault(1)).toBe(fault);
  expect(isRefused(() => bodyOf(text.replace('batch', 'list')))).toBe(true);
});

it('a lenient body is refused whole when it is broken outside of its items', () => {
  for (const text of [
    '{"batch":[{"a":1}',
    '{"batch":[{"a":1}],}',
    '{"batch":[{"a":1]}',
    '[{"a":NaN}]',
    '{"batch":[],"x":NaN}',
    '',
  ])
    for (const maxUnchecked of [0, 1_000]) expect(isRefused(() => lenient(text, maxUnchecked).value)).toBe(true);
});

it('a fault of an item does not count when a later member replaces the list', () => {
  const body = lenient('{"batch":[{"a":NaN}],"b\\u0061tch":[{"b":1}]}');
  expect([body.value, body.itemFault(0)]).toEqual([{ batch: [{ b: 1 }] }, undefined]);
});
