import { type FreeForm } from '@sluice/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toStoredForm } from './as-stored.js';
import { aMessageFor, aShape } from '../plan/generated.spec-support.js';
import { buildShapeSchema } from '../plan/json-schema.js';
import { JudgedShape } from './judged-shape.js';
import { parsePlan } from '../plan/parse-plan.js';
import { type ObjectShape } from '../plan/plan.js';
import { valueFormats } from '../plan/value-formats.js';

function shapeOf(shape: ObjectShape): JudgedShape {
  const plan = parsePlan({ version: 1, sources: ['AbCdEf123456'], events: { e: shape } });
  return new JudgedShape(plan.events['e'] ?? {});
}

/** Judges by the JSON Schema that Sluice exports for a plan: independent code decides what its words mean. */
function schemaAccepting(shape: ObjectShape): (stored: FreeForm) => boolean {
  const ajv = new Ajv2020({ strict: false });
  for (const [name, validate] of valueFormats) ajv.addFormat(name, { type: 'string', validate });
  return ajv.compile(buildShapeSchema(shape));
}

/** Pairs of a plan and a message: docs/decisions/0069-tracking-plans.md names the number for a full run. */
const pairs = Number(process.env['PLAN_PAIRS'] ?? 10_000);
const messagesOfAPlan = 40;

it(
  'accepts what the JSON Schema of the plan accepts, explains alike, and drops what offends',
  () => {
    const seen = { accepted: 0, refused: 0, dropped: 0, left: 0 };
    const manyMessages = aShape.chain((shape) =>
      fc.tuple(
        fc.constant(shape),
        fc.array(aMessageFor(shape), { minLength: messagesOfAPlan, maxLength: messagesOfAPlan }),
      ),
    );
    fc.assert(
      fc.property(manyMessages, ([shape, messages]) => {
        const [judged, accepting] = [shapeOf(shape), schemaAccepting(shape)];
        for (const message of messages) {
          check(judged, message, seen);
          expect(judged.accepts(message), JSON.stringify({ shape, message })).toBe(accepting(toStoredForm(message)));
        }
      }),
      { numRuns: pairs / messagesOfAPlan },
    );
    // A test whose messages all fit, or never do, would prove nothing.
    expect(seen.accepted + seen.refused).toBe(pairs);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(pairs / 20);
  },
  120_000 + 10 * pairs,
);

function check(
  shape: JudgedShape,
  message: FreeForm,
  seen: Record<'accepted' | 'refused' | 'dropped' | 'left', number>,
): void {
  const before = JSON.stringify(message);
  const isAccepted = shape.accepts(message);
  const violations = shape.violations(message);
  const { properties, dropped } = shape.dropOffending(message);
  seen[isAccepted ? 'accepted' : 'refused']++;
  if (dropped.length > 0) seen.dropped++;
  if (dropped.length > 0 && shape.accepts(properties)) seen.left++;

  expect(violations.length === 0, `${before} has ${violations.join()}`).toBe(isAccepted);
  expect(shape.accepts(toStoredForm(message)), `${before} as stored`).toBe(isAccepted);
  expect(violations.length).toBeLessThanOrEqual(9);
  expect(JSON.stringify(message)).toBe(before);
  if (dropped.length === 0) expect(properties).toBe(message);
  const again = shape.violations(properties);
  expect(
    again.filter((one) => !one.startsWith('missing:') && one !== 'more'),
    before,
  ).toEqual([]);
  if (again.length === 0) expect(shape.accepts(properties), before).toBe(true);
}

describe('a shape', () => {
  const order = shapeOf({
    properties: {
      order_id: { type: 'string', maxLength: 5 },
      total: { type: 'number', minimum: 0, maximum: 100 },
      currency: { type: 'string', enum: ['EUR', 'IRR'] },
      mail: { type: 'string', format: 'email' },
      constructor: { type: 'string' as const },
      address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      items: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
    },
    required: ['order_id', 'constructor'],
  });

  it.each<[string, string[]]>([
    ['{"order_id":"1","constructor":"Ferrari"}', []],
    ['{"order_id":"1","constructor":"Ferrari","total":null,"colour":null}', []],
    ['{"order_id":"1","constructor":"Ferrari","address.city":"Ghent"}', []],
    ['{"order_id":"🌹🌹🌹🌹🌹","constructor":"","total":100,"currency":"EUR"}', []],
    ['{}', ['missing:order_id', 'missing:constructor']],
    ['{"order_id":null,"constructor":7}', ['wrong_type:constructor', 'missing:order_id']],
    ['{"order_id":"123456","constructor":"","total":100.5}', ['too_long:order_id', 'above_maximum:total']],
    ['{"order_id":"1","constructor":"","total":-1,"currency":"eur"}', ['below_minimum:total', 'not_in_enum:currency']],
    ['{"order_id":"1","constructor":"","mail":"ada","colour":"red"}', ['wrong_format:mail', 'unknown:colour']],
    ['{"order_id":"1","constructor":"","__proto__":{"x":1},"toString":1}', ['unknown:__proto__', 'unknown:toString']],
    ['{"order_id":"1","constructor":"","address":{}}', ['missing:address.city']],
    ['{"order_id":"1","constructor":"","address.city":5}', ['wrong_type:address.city']],
    ['{"order_id":"1","constructor":"","items":[{"price":"1"},{"price":"2"}]}', ['wrong_type:items[].price']],
  ])('judges %s', (json, violations) => {
    const message = JSON.parse(json) as FreeForm;
    expect(order.violations(message)).toEqual(violations);
    expect(order.accepts(message)).toBe(violations.length === 0);
  });

  it('leaves out what offends, with exact paths, and nothing else', () => {
    const sent = JSON.parse(
      '{"order_id":"1","constructor":"","colour":1,"items":[{"price":1},{"price":"2","x":3},5]}',
    ) as FreeForm;
    expect(order.dropOffending(sent)).toEqual({
      properties: { order_id: '1', constructor: '', items: [{ price: 1 }, {}] },
      dropped: [
        { path: 'colour', violation: 'unknown:colour' },
        { path: 'items[1].price', violation: 'wrong_type:items[].price' },
        { path: 'items[1].x', violation: 'unknown:items[].x' },
        { path: 'items[2]', violation: 'wrong_type:items[]' },
      ],
    });
  });

  it('names at most eight violations and says that there are more', () => {
    const sent = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, index]));
    expect(order.violations(sent)).toEqual([...Array.from({ length: 8 }, (_, index) => `unknown:p${index}`), 'more']);
    expect(order.dropOffending(sent).dropped).toHaveLength(200);
  });

  it('cuts long paths, and never shows a value', () => {
    const sent = {
      order_id: 'secret-1',
      constructor: '',
      [`x${'y'.repeat(63)}z`]: 'secret-2',
      address: { city: ['secret-3'] },
    };
    const violations = order.violations(sent);
    expect(violations).toContain(`unknown:x${'y'.repeat(63)}`);
    expect(violations.join()).not.toContain('secret');
  });

  it('judges dotted names as they are stored, also in an open object', () => {
    const open = shapeOf({
      properties: { address: { type: 'object', properties: { city: { type: 'string' } } } },
      additionalProperties: true,
    });
    expect(open.violations({ 'address.city': 5, 'x.y': 1 })).toEqual(['wrong_type:address.city']);
    expect(open.accepts({ 'address.city': 5 })).toBe(false);
    expect(open.accepts({ 'address.city': 'Ghent', 'x.y': 1 })).toBe(true);
    expect(open.dropOffending({ 'address.city': 5, 'x.y': 1 }).properties).toEqual({ address: {}, x: { y: 1 } });
  });

  it('treats absent properties as an empty object', () => {
    expect(shapeOf({ properties: { a: { type: 'string' } } }).accepts(undefined)).toBe(true);
    expect(order.accepts(null)).toBe(false);
  });

  it('takes any member where it names no properties, and none where it is closed', () => {
    expect(shapeOf({}).accepts({ any: { 'a.b': 1 } })).toBe(true);
    expect(shapeOf({ additionalProperties: false }).violations({ any: 1 })).toEqual(['unknown:any']);
  });
});
