import { expect, it } from 'vitest';
import { type Activation } from './activation.js';
import { type Plan } from '../plan/plan.js';
import { parsePlanRecord, activationRecord, planRecord } from './records.js';
import { PlanRegistry } from './registry.js';
import { preparePlanImport } from './writer.js';

const source = 'AbCdEf123456';
const activatedAt = '2026-01-01T00:00:00.000Z';
const aPlan = (version: number, events: Plan['events'], more: Partial<Plan> = {}): Plan => ({
  version,
  sources: [source],
  events,
  ...more,
});
const text: Plan['events'] = { order: { properties: { id: { type: 'string' } }, required: ['id'] } };
const number: Plan['events'] = { order: { properties: { id: { type: 'number' } }, mode: 'observe' }, login: {} };

function registryOf(plans: readonly Plan[], activation?: Partial<Activation>): PlanRegistry {
  const registry = new PlanRegistry();
  for (const plan of plans) apply(registry, planRecord(source, plan));
  if (activation)
    apply(registry, activationRecord(source, { versions: [1], mode: 'refuse', activatedAt, ...activation }));
  return registry;
}
const apply = (registry: PlanRegistry, { key, value }: { key: string; value: Buffer | null }): void =>
  registry.apply(key, value);

it('judges nothing before a plan is active', () => {
  expect(registryOf([aPlan(1, text)]).live(source)).toBeUndefined();
  expect(registryOf([], { versions: [7] }).live(source)).toBeUndefined();
  expect(registryOf([aPlan(1, text)], {}).live('Unknown12345')).toBeUndefined();
});

it('judges by the active version, and says which', () => {
  const live = registryOf([aPlan(1, text), aPlan(2, number)], {}).live(source);
  expect(live?.judgeEvent('order', { id: 'x' })).toEqual({ planVersion: 1, violations: [], mode: 'refuse' });
  expect(live?.judgeEvent('order', { id: 5 })).toEqual({
    planVersion: 1,
    violations: ['wrong_type:id'],
    mode: 'refuse',
  });
  expect(live?.judgeEvent('login', {})).toEqual({ planVersion: 1, violations: ['unknown_event'], mode: 'refuse' });
  expect(live?.judgeTraits({ any: 1 })).toBeUndefined();
});

it('takes a message that fits any live version, and explains by the newest', () => {
  const live = registryOf([aPlan(1, text), aPlan(2, number)], { versions: [1, 2] }).live(source);
  expect(live?.judgeEvent('order', { id: 5 })).toEqual({ planVersion: 2, violations: [], mode: 'observe' });
  expect(live?.judgeEvent('order', { id: 'x' })).toEqual({ planVersion: 1, violations: [], mode: 'refuse' });
  expect(live?.judgeEvent('order', { id: true })).toEqual({
    planVersion: 2,
    violations: ['wrong_type:id'],
    mode: 'observe',
  });
});

it('lets the mode of an event be milder only', () => {
  const strict = aPlan(1, { order: { mode: 'refuse', properties: {} } });
  const live = registryOf([strict], { mode: 'observe' }).live(source);
  expect(live?.judgeEvent('order', { id: 1 })?.mode).toBe('observe');
});

it('judges no event of the SDKs, and no unplanned event where the plan is open', () => {
  expect(
    registryOf([aPlan(1, text)], {})
      .live(source)
      ?.judgeEvent('bb_notification_clicked', {}),
  ).toBeUndefined();
  const open = aPlan(1, text, { additionalEvents: true });
  expect(registryOf([open], {}).live(source)?.judgeEvent('login', {})).toBeUndefined();
});

it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('an event %s is unknown unless planned', (name) => {
  expect(
    registryOf([aPlan(1, text)], {})
      .live(source)
      ?.judgeEvent(name, {})?.violations,
  ).toEqual(['unknown_event']);
  const planned = aPlan(1, JSON.parse(`{"${name}":{"properties":{"id":{"type":"string"}}}}`) as Plan['events']);
  const live = registryOf([planned], {}).live(source);
  expect(live?.judgeEvent(name, { id: 'x' })?.violations).toEqual([]);
  expect(live?.judgeEvent(name, { id: 1 })?.violations).toEqual(['wrong_type:id']);
});

it('observes a candidate, whose verdicts do not count', () => {
  const live = registryOf([aPlan(1, text), aPlan(2, number)], { candidate: 2 }).live(source);
  expect(live?.candidate?.judgeEvent('order', { id: 'x' })).toEqual({
    planVersion: 2,
    violations: ['wrong_type:id'],
    mode: 'observe',
  });
  const alone = registryOf([aPlan(2, number)], { versions: [], candidate: 2 }).live(source);
  expect(alone?.judgeEvent('order', { id: 'x' })).toBeUndefined();
  expect(alone?.candidate?.judgeEvent('order', { id: 'x' })?.violations).toEqual(['wrong_type:id']);
});

it('forgets what a tombstone removes', () => {
  const registry = registryOf([aPlan(1, text)], {});
  registry.apply(`${source}:1`, null);
  expect(registry.live(source)).toBeUndefined();
  registry.apply(source, null);
  expect(registry.records()).toEqual([]);
});

it.each([
  ['JSON that is cut off', source, '{'],
  ['not an activation', source, '{"versions":"1"}'],
  ['not a plan', `${source}:1`, '{"version":1}'],
  ['a plan of another version', `${source}:2`, JSON.stringify(aPlan(1, text))],
  ['under a key of another kind', 'watch:AbCdEf123456', '{}'],
])('refuses a record that is %s, and keeps what it has', (_, key, value) => {
  const registry = registryOf([aPlan(1, text)], {});
  const before = registry.records();
  expect(() => registry.apply(key, Buffer.from(value))).toThrow();
  expect(registry.records()).toEqual(before);
  expect(registry.live(source)?.judgeEvent('order', { id: 5 })?.violations).toEqual(['wrong_type:id']);
});

it('can be rebuilt from its records', () => {
  const registry = registryOf([aPlan(1, text), aPlan(2, number)], {
    versions: [2, 1],
    candidate: 1,
    candidateSince: activatedAt,
  });
  const again = new PlanRegistry();
  for (const record of registry.records()) apply(again, record);
  expect(again.listPlans(source)).toEqual(registry.listPlans(source));
  expect(again.activation(source)).toEqual(registry.activation(source));
  expect(registry.records().map(({ key, value }) => parsePlanRecord(key, value ?? Buffer.of()))).toHaveLength(3);
});

it('keeps what is compiled when the same plans are read again', () => {
  const registry = registryOf([aPlan(1, text)], {});
  const before = registry.live(source)?.plans[0];
  registry.become(registryOf([aPlan(1, text)], { mode: 'drop' }));
  expect(registry.live(source)?.plans[0]).toBe(before);
  expect(registry.live(source)?.judgeEvent('order', {})?.mode).toBe('drop');
  registry.become(registryOf([aPlan(1, number)], {}));
  expect(registry.live(source)?.plans[0]).not.toBe(before);
});

it('imports a version once, and never changes it', () => {
  const registry = registryOf([aPlan(1, text)]);
  expect(preparePlanImport(registry, aPlan(1, text))).toEqual({ records: [], created: [], unchanged: [source] });
  expect(preparePlanImport(registry, aPlan(2, text)).created).toEqual([source]);
  expect(() => preparePlanImport(registry, aPlan(1, number))).toThrow('give the plan the version 2');
});
