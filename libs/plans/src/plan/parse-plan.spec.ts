import { expect, it } from 'vitest';
import { buildShapeSchema } from './json-schema.js';
import { parsePlan } from './parse-plan.js';
import { type Plan } from './plan.js';
import { PlanError } from './plan-error.js';

const plan: Plan = {
  version: 3,
  sources: ['AbCdEf123456'],
  description: 'The shop',
  mode: 'observe',
  events: {
    order_completed: {
      mode: 'drop',
      description: 'A paid order',
      properties: {
        order_id: { type: 'string', maxLength: 40, description: 'As on the invoice' },
        total: { type: 'number', minimum: 0 },
        items: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
        extra: { type: ['string', 'object'] },
      },
      required: ['order_id'],
    },
  },
  traits: { properties: { mail: { type: 'string', format: 'email' } }, additionalProperties: true },
};
const changed = (change: (copy: Record<string, unknown>) => void): unknown => {
  const copy = structuredClone(plan) as unknown as Record<string, unknown>;
  change(copy);
  return copy;
};
const event = (shape: unknown): unknown => changed((copy) => (copy['events'] = { e: shape }));
const property = (value: unknown): unknown => event({ properties: { p: value } });

it('returns a valid plan unchanged', () => expect(parsePlan(structuredClone(plan))).toEqual(plan));

/** Levels of objects within objects; the properties of the event are the first. */
const nested = (levels: number): unknown =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { p: nested(levels - 1) } };

it.each<[string, unknown, string]>([
  ['a plan that is not an object', [], 'the plan: must be an object'],
  ['a plan without events', changed((copy) => delete copy['events']), 'events: is missing'],
  ['version 0', changed((copy) => (copy['version'] = 0)), 'version: must be a whole number from 1 to 4294967295'],
  ['a source of 11 characters', changed((copy) => (copy['sources'] = ['AbCdEf12345'])), 'sources: must be 1 to 100'],
  ['an unknown mode', changed((copy) => (copy['mode'] = 'block')), 'mode: must be one of observe, drop, refuse'],
  ['an unknown member', changed((copy) => (copy['name'] = 'x')), 'name: is not a member of a plan'],
  ['a bad name of an event', changed((copy) => (copy['events'] = { 'a b': {} })), 'events["a b"]: names must be'],
  ['an event that is a text', event('x'), 'events.e: must be an object'],
  ['a reference', property({ $ref: '#/x' }), 'events.e.properties.p.$ref: a plan has no references'],
  ['a pattern', property({ type: 'string', pattern: 'a' }), 'events.e.properties.p.pattern: a plan has no regular'],
  ['an unknown type', property({ type: 'null' }), 'events.e.properties.p.type: must be one of string, number'],
  ['an unknown format', property({ type: 'string', format: 'ipv4' }), 'p.format: must be one of date-time, date'],
  ['a bound of a text', property({ type: 'string', minimum: 1 }), 'p.minimum: needs the type number or integer'],
  ['a minimum above the maximum', property({ type: 'number', minimum: 2, maximum: 1 }), 'p.minimum: is above maximum'],
  ['101 values', property({ enum: Array.from({ length: 101 }, (_, i) => i) }), 'p.enum: must be 1 to 100'],
  ['null as a value', property({ enum: [null] }), 'p.enum: must be 1 to 100 different texts'],
  ['a required name that is not planned', event({ required: ['q'] }), 'events.e.required: names "q", which is not in'],
  ['a name with a dot', event({ properties: { 'a.b': {} } }), 'events.e.properties["a.b"]: the name has a dot'],
  [
    '__proto__',
    JSON.parse(JSON.stringify(event({ properties: { x: {} } })).replace('"x"', '"__proto__"')),
    '__proto__',
  ],
  [
    '257 properties',
    event({ properties: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`p${i}`, {}])) }),
    'must be at most 256',
  ],
  ['objects beyond 8 levels', property(nested(8)), 'is deeper than 8 levels'],
])('refuses %s', (_, value, message) => {
  expect(() => parsePlan(value)).toThrow(PlanError);
  expect(() => parsePlan(value)).toThrow(message);
});

it('takes 8 levels', () => expect(() => parsePlan(property(nested(7)))).not.toThrow());

it('names all mistakes at once, by path', () => {
  const bad = event({ mode: 'block', properties: { a: { type: 'text' }, b: { maxLength: 'x' } } });
  const problems = (): readonly string[] => {
    try {
      parsePlan(bad);
    } catch (error) {
      if (error instanceof PlanError) return error.problems.map(({ path }) => path);
    }
    return [];
  };
  expect(problems()).toEqual(['events.e.mode', 'events.e.properties.a.type', 'events.e.properties.b.maxLength']);
});

it('refuses a plan that no record can hold', () => {
  const events = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`e${index}`, { description: 'x'.repeat(1_000) }]),
  );
  expect(() => parsePlan({ ...plan, events })).toThrow('900000 are possible');
});

it('a shape becomes JSON Schema, closed unless it says otherwise', () => {
  expect(buildShapeSchema(plan.events['order_completed'] ?? {})).toEqual({
    type: 'object',
    description: 'A paid order',
    properties: {
      order_id: { type: 'string', maxLength: 40, description: 'As on the invoice' },
      total: { type: 'number', minimum: 0 },
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: { sku: { type: 'string' } },
          required: ['sku'],
          additionalProperties: false,
        },
      },
      extra: { type: ['string', 'object'] },
    },
    required: ['order_id'],
    additionalProperties: false,
  });
});
