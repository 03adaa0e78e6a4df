import { type FieldRuleSet } from '@sluice/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Report } from '../report.js';
import { FieldRules, removedByRule } from './field-rules.js';

const hash = (value: string): string => `hash of ${value}`;

/** The stored message, and the fields that the answer names. */
function ruled(rules: FieldRuleSet, message: object): { stored: unknown; dropped: string[] } {
  const report = new Report();
  const before = JSON.stringify(message);
  const stored: unknown = JSON.parse(JSON.stringify(new FieldRules(rules, hash).apply(message, '', report)));
  expect(JSON.stringify(message), 'what was sent').toBe(before);
  for (const { message: why } of report.dropped) expect(why).toBe(removedByRule);
  return { stored, dropped: report.dropped.map(({ field }) => field) };
}

describe('drop', () => {
  it('removes a value of any shape, and names it', () => {
    for (const value of ['x', 1, false, { a: { b: 1 } }, [1, { a: 2 }]])
      expect(ruled({ 'context.ip': 'drop' }, { userId: 'u', context: { ip: value, locale: 'de' } })).toEqual({
        stored: { userId: 'u', context: { locale: 'de' } },
        dropped: ['context.ip'],
      });
  });

  it('reaches into objects, lists of objects, and names with dots', () => {
    const rules: FieldRuleSet = { 'properties.card.number': 'drop' };
    const reached = (properties: object) => ruled(rules, { properties });
    expect(reached({ card: { number: 4111, brand: 'v' } })).toEqual({
      stored: { properties: { card: { brand: 'v' } } },
      dropped: ['properties.card.number'],
    });
    expect(reached({ card: [{ number: 1 }, { number: 2, brand: 'm' }, 3] })).toEqual({
      stored: { properties: { card: [{}, { brand: 'm' }, 3] } },
      dropped: ['properties.card[0].number', 'properties.card[1].number'],
    });
    expect(reached({ 'card.number': 4111, 'card.brand': 'v' })).toEqual({
      stored: { properties: { 'card.brand': 'v' } },
      dropped: ['properties.card.number'],
    });
    expect(reached({ 'card.number.first': 4, 'card.number': 4 }).stored).toEqual({ properties: {} });
    expect(reached({ card: 'none', number: 7, cards: { number: 8 } })).toEqual({
      stored: { properties: { card: 'none', number: 7, cards: { number: 8 } } },
      dropped: [],
    });
  });

  it('distinguishes bags and cases', () => {
    const message = { properties: { email: 'p', Email: 'q' }, traits: { email: 't' }, context: { email: 'c' } };
    expect(ruled({ 'traits.email': 'drop' }, message)).toEqual({
      stored: { properties: { email: 'p', Email: 'q' }, traits: {}, context: { email: 'c' } },
      dropped: ['traits.email'],
    });
  });
});

describe('truncate', () => {
  it('keeps the network of an address, and reports nothing', () =>
    expect(ruled({ 'context.ip': 'truncate' }, { context: { ip: '203.0.113.77' } })).toEqual({
      stored: { context: { ip: '203.0.113.0' } },
      dropped: [],
    }));

  it('removes what is not an address', () => {
    for (const ip of ['unknown', 7, true, { v4: '203.0.113.77' }])
      expect(ruled({ 'context.ip': 'truncate' }, { context: { ip } })).toEqual({
        stored: { context: {} },
        dropped: ['context.ip'],
      });
    expect(ruled({ 'context.ip': 'truncate' }, { context: { ip: ['203.0.113.77', 'unknown'] } })).toEqual({
      stored: { context: { ip: ['203.0.113.0'] } },
      dropped: ['context.ip[1]'],
    });
    expect(ruled({ 'context.ip': 'truncate' }, { context: { 'ip.v4': '203.0.113.77' } })).toEqual({
      stored: { context: {} },
      dropped: ['context.ip.v4'],
    });
  });
});

describe('hash', () => {
  it('hashes scalars by their text, and removes objects', () => {
    expect(ruled({ 'traits.id': 'hash' }, { traits: { id: 7 } }).stored).toEqual({ traits: { id: 'hash of 7' } });
    expect(ruled({ 'traits.id': 'hash' }, { traits: { id: '7' } }).stored).toEqual({ traits: { id: 'hash of 7' } });
    expect(ruled({ 'traits.id': 'hash' }, { traits: { id: ['a', ['b']] } })).toEqual({
      stored: { traits: { id: ['hash of a', ['hash of b']] } },
      dropped: [],
    });
    expect(ruled({ 'traits.id': 'hash' }, { traits: { id: { a: 1 } } })).toEqual({
      stored: { traits: {} },
      dropped: ['traits.id'],
    });
  });

  it('removes a value that cannot be hashed', () => {
    const report = new Report();
    const rules = new FieldRules({ 'traits.id': 'hash' }, () => undefined);
    expect({ ...rules.apply({ traits: { id: 'a' } }, 'list[2]', report).traits }).toEqual({});
    expect(report.dropped).toEqual([{ field: 'list[2].traits.id', message: removedByRule }]);
  });
});

it('hashes a thousand values of a message, and removes the others', () => {
  const ids = Array.from({ length: 3_000 }, (_, i) => i);
  const { stored, dropped } = ruled({ 'properties.ids': 'hash' }, { properties: { ids: [ids, ids] } });
  expect((stored as { properties: { ids: string[][] } }).properties.ids.flat()).toHaveLength(1_024);
  expect(dropped).toHaveLength(6_000 - 1_024);
});

it('a null is left as it is: it is not stored anyway', () =>
  expect(ruled({ 'context.ip': 'drop' }, { context: { ip: null } }).dropped).toEqual([]));

it('returns the message itself when no rule applies to it', () => {
  const rules = new FieldRules({ 'context.ip': 'drop', 'traits.email': 'hash' }, hash);
  const message = { userId: 'u', properties: { email: 'a' }, context: { locale: 'de', 'a.b': 1 } };
  expect(rules.apply(message, '', new Report())).toBe(message);
});

it('a value that a rule covers is in no message, however it is written', () => {
  const secret = 'secret-4711';
  const leaf = fc.oneof(fc.constant(secret), fc.integer(), fc.constant({ c: secret }));
  const at = (name: string) => fc.record({ [name]: leaf, other: fc.integer() }, { requiredKeys: [name] });
  const below = fc.oneof(at('b'), fc.array(at('b'), { maxLength: 3 }), fc.array(fc.array(at('b'))), at('b.x'));
  const properties = fc.oneof(fc.record({ a: below }), fc.record({ 'a.b': leaf }), fc.record({ 'a.b.c': leaf }));
  fc.assert(
    fc.property(properties, fc.constantFrom('drop' as const, 'truncate' as const, 'hash' as const), (sent, rule) => {
      const rules = new FieldRules({ 'properties.a.b': rule }, () => 'hashed');
      expect(JSON.stringify(rules.apply({ properties: sent }, '', new Report()))).not.toContain(secret);
      expect(JSON.stringify(rules.applyToRefused({ properties: sent }, true))).not.toContain(secret);
    }),
    { numRuns: 1_000 },
  );
});

describe('an item as its client sent it', () => {
  const rules = new FieldRules({ 'properties.email': 'drop', 'traits.phone': 'hash', 'context.ip': 'truncate' }, hash);

  it('gets the rules of the message that it would become, which has no unknown members', () =>
    expect(
      JSON.parse(
        JSON.stringify(
          rules.applyToRefused({ traits: { email: 'e', phone: 1 }, context: { ip: '192.0.2.7' }, more: 1 }, false),
        ),
      ),
    ).toEqual({ traits: { email: 'e', phone: 'hash of 1' }, context: { ip: '192.0.2.0' } }));

  it('gets the rules of every field that its members may become', () => {
    const page = new FieldRules({ 'properties.name': 'drop', 'properties.groupId': 'drop' }, hash);
    const sent = { type: 'page', name: 'n', groupId: 'g', category: 'c' };
    expect({ ...(page.applyToRefused(sent, true) as object) }).toEqual({ type: 'page', category: 'c' });
    const group = {
      type: 'group',
      traits: { email: 'e', phone: 1 },
      context: { traits: { email: 'e', phone: 2, a: 3 } },
    };
    expect(JSON.parse(JSON.stringify(rules.applyToRefused(group, true)))).toEqual({
      type: 'group',
      traits: { phone: 'hash of 1' },
      context: { traits: { phone: 'hash of 2', a: 3 } },
    });
  });

  it('may be anything: what is not a message is not kept', () => {
    for (const item of [null, 'x', 7, [], ['properties'], '{"traits":{"email":"e"}}'])
      expect(rules.applyToRefused(item, true)).toBe(null);
    for (const item of [{ properties: 'x' }, { context: [] }, { batch: [{ traits: { email: 'e' } }] }, { userId: {} }])
      expect(rules.applyToRefused(item, true)).toEqual({});
  });
});
