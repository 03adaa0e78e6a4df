import { expect, it } from 'vitest';
import { diffPlans } from './diff-plans.js';
import { type Plan } from './plan.js';

const before: Plan = {
  version: 1,
  sources: ['AbCdEf123456'],
  events: { order: { properties: { id: { type: 'string' }, old: {} }, required: ['id'] }, constructor: {} },
};

it('names each difference by its path, also from no plan at all', () => {
  const after: Plan = {
    ...before,
    version: 2,
    mode: 'drop',
    events: {
      order: { properties: { id: { type: ['string', 'number'] }, total: { type: 'number' } }, required: ['id'] },
    },
  };
  expect(diffPlans(before, after)).toEqual([
    { path: 'mode', before: undefined, after: 'drop' },
    { path: 'events.order.properties.id.type', before: 'string', after: ['string', 'number'] },
    { path: 'events.order.properties.old', before: {}, after: undefined },
    { path: 'events.order.properties.total', before: undefined, after: { type: 'number' } },
    { path: 'events.constructor', before: {}, after: undefined },
  ]);
  expect(diffPlans(undefined, before).map(({ path }) => path)).toEqual(['events.order', 'events.constructor']);
  expect(diffPlans(before, { ...before, version: 9 })).toEqual([]);
});
