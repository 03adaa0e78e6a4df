import { type FreeForm, isObject, TrackMessage } from '@sluice/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageReader } from '../message-reader.js';
import { joinPath, Report } from '../report.js';
import { moreNames, nextRequestNumber, type UsedNames } from './used-names.js';
import { keptAsText, limitNewNames } from './limit-new-names.js';

/** Names of which a number is admitted. */
function names(room: number): UsedNames & { size: () => number } {
  const known = new Set<number>();
  const admit = (path: number): boolean => known.has(path) || (known.size < room && known.add(path).size > 0);
  return { request: nextRequestNumber(), has: (path) => known.has(path), admit, size: () => known.size };
}

const reader = new MessageReader(TrackMessage);

/** Reads a message as a gateway does. */
function read(members: Partial<Record<'properties' | 'context', FreeForm>>, used: UsedNames) {
  const report = new Report();
  report.names = used;
  const message = reader.read({ userId: 'u', event: 'e', ...members }, '', report);
  if (!message) throw new Error(JSON.stringify(report.problems));
  const kept = report.hasNewNames ? limitNewNames(message, used, 'list[0]', report) : message;
  const plain = JSON.parse(JSON.stringify(kept)) as typeof kept;
  return { message, kept, report, properties: plain.properties ?? {}, context: plain.context ?? {} };
}

/** The members that are kept as text. */
const moreIn = (column: FreeForm): unknown => JSON.parse(String(column[moreNames]));

describe('names of a message', () => {
  it('within the bound change nothing, and known ones are known at the next message', () => {
    const used = names(10);
    const first = read({ properties: { a: 1, b: { c: [1, 2], d: null } }, context: { a: 'x' } }, used);
    expect([first.kept, first.report.dropped, used.size()]).toEqual([first.message, [], 3]);
    const second = read({ properties: { a: 2, b: { c: [] } } }, used);
    expect([second.kept === second.message, second.report.hasNewNames]).toEqual([true, false]);
  });

  it('beyond the bound are kept as text in the form in which they were sent, and reported once', () => {
    const used = names(3);
    read({ properties: { a: 1, list: [{ x: 1 }] } }, used);
    const sent = { a: 2, b: { c: 'text', d: { e: [1] } }, list: [{ x: 1, y: 2 }, { y: 3 }], n: null, 'f.g': true };
    const { message, properties, report } = read({ properties: sent }, used);
    expect(properties).toEqual({ a: 2, list: [{ x: 1 }, {}], [moreNames]: expect.any(String) as string });
    expect(moreIn(properties)).toEqual({
      b: { c: 'text', d: { e: [1] } },
      list: [{ y: 2 }, { y: 3 }],
      'f.g': true,
    });
    expect(report.dropped).toEqual([{ field: 'list[0].properties', message: keptAsText }]);
    // The message itself, of which others read such as a push token, is not changed.
    expect(message.properties).toMatchObject({ b: { c: 'text' } });
  });

  it('of each object count, and a name with dots is a path', () => {
    const used = names(2);
    read({ properties: { 'a.b': 1 }, context: { a: 1 } }, used);
    const { properties, context, report } = read({ properties: { a: { b: 2 } }, context: { a: 1, b: 2 } }, used);
    expect([properties, moreIn(context), report.dropped.length]).toEqual([{ a: { b: 2 } }, { b: 2 }, 1]);
  });

  it('are kept apart from a member that the client gave the same name', () => {
    const used = names(10);
    const { properties } = read({ properties: { [moreNames]: 'mine', a: 1 } }, used);
    expect([properties['a'], moreIn(properties)]).toEqual([1, { [moreNames]: 'mine' }]);
    for (const sent of [{ [moreNames]: { a: 1 } }, { [`${moreNames}.a`]: 1 }])
      expect(read({ properties: sent }, used).properties).toEqual({ [moreNames]: JSON.stringify(sent) });
    expect(read({ properties: { b: { [moreNames]: 'below' } } }, used).properties).toEqual({
      b: { [moreNames]: 'below' },
    });
  });

  it.each(['__proto__', 'constructor', 'toString'])('named %s are members like any other', (name) => {
    const { properties } = read({ properties: JSON.parse(`{"a":1,"${name}":2}`) as FreeForm }, names(1));
    expect(properties[moreNames]).toBe(`{"${name}":2}`);
  });
});

it('the text is hardly longer than what was sent, however long and deep the names are', () => {
  const long = (letter: string): string => letter.repeat(1_000);
  const leavesOf = Object.fromEntries(Array.from({ length: 245 }, (_, i) => [`k${i}`, 1]));
  const nested = ['a', 'b', 'c', 'd', 'e', 'f'].reduce<FreeForm>(
    (below, letter) => ({ [long(letter)]: below }),
    leavesOf,
  );
  const { context } = read({ context: { ...nested, list: Array(256).fill({ a: { b: 1 } }) } }, names(0));
  expect(JSON.stringify(context).length).toBeLessThan(2.5 * JSON.stringify(nested).length);
});

/** Each value of an object by its path, those in arrays too. */
function leaves(value: unknown, path = ''): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leaves(item, `${path}[${index}]`));
  if (!isObject(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, joinPath(path, name)));
}

const aName = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__', moreNames);
const aValue = fc.letrec<{ value: unknown; object: FreeForm }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.integer(), fc.string({ maxLength: 5 }), fc.boolean()),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(aName, tie('value'), { maxKeys: 5, noNullPrototype: false }),
})).object;

it('every value is either where it was or in the text, and no more names are used than admitted', () =>
  fc.assert(
    fc.property(aValue, fc.integer({ min: 0, max: 12 }), (properties, room) => {
      const used = names(room);
      const { properties: stored } = read({ properties }, used);
      const { [moreNames]: text, ...rest } = stored;
      const isText = typeof text === 'string' && text.startsWith('{');
      // A null stands for an item of which nothing is in the text.
      const more = isText ? leaves(JSON.parse(text)).filter(([, value]) => value !== null) : [];
      const found = [...leaves(rest), ...more];
      const sorted = (pairs: [string, unknown][]): string[] => pairs.map((pair) => JSON.stringify(pair)).sort();
      expect(sorted(found)).toEqual(sorted(leaves(JSON.parse(JSON.stringify(properties)))));
      expect(used.size()).toBeLessThanOrEqual(room);
    }),
  ));

it('what one source uses is not taken as used by another', () => {
  const [full, empty] = [names(10), names(0)];
  read({ properties: { a: 1, b: { c: 2 } } }, full);
  expect(read({ properties: { a: 1, b: { c: 2 } } }, full).report.hasNewNames).toBe(false);
  const { properties } = read({ properties: { a: 1, b: { c: 2 } } }, empty);
  expect(moreIn(properties)).toEqual({ a: 1, b: { c: 2 } });
});
