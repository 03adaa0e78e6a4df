import { expect, it } from 'vitest';
import { PlanError } from '../plan/plan-error.js';
import { convertPlan, type ForeignForm } from './foreign-plan.js';

const target = { version: 4, sources: ['AbCdEf123456'] };
const schema = (properties: unknown, more: object = {}) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    context: { type: 'object' },
    properties: { type: 'object', properties, ...more },
  },
  required: ['properties'],
});
const order = schema(
  {
    order_id: { type: 'string', description: 'As on the invoice', id: '/properties/order_id' },
    total: { type: ['number', 'null'], minimum: 0 },
    currency: { enum: ['EUR', null] },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { sku: { type: 'string' } }, additionalProperties: false },
    },
  },
  { required: ['order_id'], additionalProperties: false },
);
const converted = {
  description: 'Paid',
  properties: {
    order_id: { type: 'string', description: 'As on the invoice' },
    total: { type: 'number', minimum: 0 },
    currency: { enum: ['EUR'] },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { sku: { type: 'string' } }, additionalProperties: false },
    },
  },
  required: ['order_id'],
  additionalProperties: false,
};
const traits = { type: 'object', properties: { traits: { type: 'object', properties: { plan: { type: 'string' } } } } };

it.each<[string, ForeignForm, unknown]>([
  [
    'the public API of Segment',
    'segment',
    {
      data: {
        rules: [
          { type: 'TRACK', key: 'order_completed', version: 1, jsonSchema: { ...order, description: 'Paid' } },
          { type: 'IDENTIFY', jsonSchema: traits },
        ],
      },
    },
  ],
  [
    'the older form of Segment',
    'segment',
    {
      display_name: 'Shop',
      rules: {
        events: [{ name: 'order_completed', description: 'Paid', rules: order }],
        identify: traits,
        group: {},
        global: { properties: { context: {} } },
      },
    },
  ],
  [
    'RudderStack',
    'rudderstack',
    {
      name: 'Shop',
      version: '1',
      events: [
        { name: 'order_completed', description: 'Paid', eventType: 'track', rules: order },
        { name: '', eventType: 'identify', rules: traits },
      ],
    },
  ],
])('imports %s', (_, form, value) =>
  expect(convertPlan(form, value, target)).toEqual({
    ...target,
    events: { order_completed: converted },
    traits: { properties: { plan: { type: 'string' } }, additionalProperties: true },
  }),
);

const rudderstack = (event: object) => ({ events: [{ name: 'e', eventType: 'track', rules: schema({}), ...event }] });

it.each<[string, unknown, string]>([
  [
    'a pattern',
    rudderstack({ rules: schema({ id: { type: 'string', pattern: '^o' } }) }),
    'events[0].properties.properties.id.pattern: cannot be expressed',
  ],
  ['a reference', rudderstack({ rules: schema({ id: { $ref: '#/x' } }) }), 'id.$ref: cannot be expressed'],
  ['alternatives', rudderstack({ rules: schema({ id: { anyOf: [] } }) }), 'id.anyOf: cannot be expressed'],
  ['a member that is only null', rudderstack({ rules: schema({ id: { type: 'null' } }) }), 'id.type: is only null'],
  [
    'a schema of further properties',
    rudderstack({ rules: schema({}, { additionalProperties: { type: 'string' } }) }),
    'it has no schema for them',
  ],
  [
    'rules of the context',
    rudderstack({ rules: { type: 'object', properties: { context: { properties: { ip: { type: 'string' } } } } } }),
    'events[0].context: a plan has no rules',
  ],
  ['pages', rudderstack({ eventType: 'page', name: 'Home' }), 'events[0]: Home: only track and identify'],
  [
    'a name with a space',
    rudderstack({ name: 'Order Completed' }),
    'the event "Order Completed" has a name that no message can have',
  ],
  [
    'two versions of an event',
    { events: [...rudderstack({}).events, ...rudderstack({}).events] },
    'the event e comes twice',
  ],
  [
    'an unknown format',
    rudderstack({ rules: schema({ ip: { type: 'string', format: 'ipv4' } }) }),
    'format: must be one of date-time',
  ],
  ['another file', { hello: 1 }, "does not look like a tracking plan of rudderstack: it has no list 'events'"],
])('refuses %s, and names the place', (_, value, message) => {
  expect(() => convertPlan('rudderstack', value, target)).toThrow(PlanError);
  expect(() => convertPlan('rudderstack', value, target)).toThrow(message);
});

it('writes names in snake case when it is asked to', () => {
  const plan = convertPlan('rudderstack', rudderstack({ name: 'Order Completed' }), { ...target, snakeCase: true });
  expect(Object.keys(plan.events)).toEqual(['order_completed']);
});
