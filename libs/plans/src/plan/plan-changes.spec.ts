import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listPlanChanges, describeProperty } from './plan-changes.js';
import { diffPlans } from './diff-plans.js';
import { aShape } from './generated.spec-support.js';
import { parsePlan } from './parse-plan.js';
import { listProperties } from './planned-properties.js';

const plan = (change: object) => parsePlan({ version: 1, sources: ['AbCdEf123456'], events: {}, ...change });
const order = {
  properties: {
    total: { type: 'number', minimum: 0, description: 'With tax' },
    items: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] } },
    currency: { enum: ['EUR', 'IRR'] },
  },
  required: ['total'],
};

it('lists the values of an event with what they must be, also within others', () => {
  const listed = listProperties(plan({ events: { order } }).events['order'] ?? {});
  expect(listed.map((property) => [property.path, describeProperty(property)])).toEqual([
    ['total', 'number, required, at least 0: With tax'],
    ['items', 'array, optional'],
    ['items[]', 'object, optional, no other properties'],
    ['items[].price', 'number, required'],
    ['currency', 'any value, optional, one of "EUR", "IRR"'],
  ]);
});

it('names what was added, removed and changed', () => {
  const { properties } = order;
  const { total, items } = properties;
  const before = plan({ events: { order, login: {} }, traits: { properties: { name: { type: 'string' } } } });
  const after = plan({
    mode: 'drop',
    events: { order: { mode: 'observe', properties: { total: { ...total, minimum: 1 }, items, note: {} } }, paid: {} },
    traits: { properties: { name: { type: 'string' } } },
  });
  expect(listPlanChanges(before, after)).toEqual({
    settings: [{ path: 'mode', before: null, after: 'drop' }],
    events: [
      {
        event: 'order',
        kind: 'changed',
        changes: [
          { path: '', before: 'no other properties', after: 'mode observe, no other properties' },
          {
            path: 'total',
            before: 'number, required, at least 0: With tax',
            after: 'number, optional, at least 1: With tax',
          },
          { path: 'note', before: null, after: 'any value, optional' },
          { path: 'currency', before: 'any value, optional, one of "EUR", "IRR"', after: null },
        ],
      },
      { event: 'paid', kind: 'added', changes: [{ path: '', before: null, after: 'any properties' }] },
      { event: 'login', kind: 'removed', changes: [{ path: '', before: 'any properties', after: null }] },
    ],
  });
});

it('compares the first plan with none', () => {
  const { settings, events } = listPlanChanges(undefined, plan({ events: { login: {} } }));
  expect([settings, events]).toEqual([
    [{ path: 'other events', before: null, after: 'do not fit' }],
    [{ event: 'login', kind: 'added', changes: [{ path: '', before: null, after: 'any properties' }] }],
  ]);
});

it('finds no difference where there is none', () => {
  fc.assert(
    fc.property(aShape, (shape) => {
      const any = { version: 1, sources: ['AbCdEf123456'], events: { paid: shape }, traits: shape };
      const { settings, events } = listPlanChanges(any, any);
      expect([settings, events, diffPlans(any, any)]).toEqual([[], [], []]);
    }),
  );
});
