import { describe, expect, it } from 'vitest';
import { aSuppression, key, otherKey, source } from './a-suppression.spec-support.js';
import { SuppressionRegistry } from './registry.js';
import { suppressionKey } from './suppression.js';

const registryOf = (...records: { key: string; value: Buffer | null }[]): SuppressionRegistry => {
  const registry = new SuppressionRegistry(key);
  for (const record of records) registry.apply(record.key, record.value);
  return registry;
};

describe('SuppressionRegistry', () => {
  it('drops messages by their user id or their anonymous id', () => {
    const registry = registryOf(aSuppression('user', 'u-1'), aSuppression('anonymous', 'a-1'));
    expect(registry.drops(source, { userId: 'u-1' }, 5)).toBe(true);
    expect(registry.drops(source, { userId: 'u-1', anonymousId: 'a-2' }, 5)).toBe(true);
    expect(registry.drops(source, { userId: 'u-2', anonymousId: 'a-1' }, 5)).toBe(true);
    expect(registry.drops(source, { anonymousId: 'a-1' }, 5)).toBe(true);
  });

  it('lets everyone else pass, also an id of another kind, and the id in another source', () => {
    const registry = registryOf(aSuppression('user', 'u-1'));
    expect(registry.drops(source, { userId: 'u-2', anonymousId: 'u-1' }, 5)).toBe(false);
    expect(registry.drops(source, { anonymousId: 'u-1' }, 5)).toBe(false);
    expect(registry.drops('000000000000', { userId: 'u-1' }, 5)).toBe(false);
    expect(registry.drops(source, {}, 5)).toBe(false);
  });

  it('drops only what arrived before the end of the suppression', () => {
    const registry = registryOf(aSuppression('user', 'u-1', { until: 10_000 }));
    expect(registry.drops(source, { userId: 'u-1' }, 9_999)).toBe(true);
    expect(registry.drops(source, { userId: 'u-1' }, 10_000)).toBe(false);
  });

  it('forgets an id that is no longer suppressed, but not another with the same Kafka key', () => {
    const [user, anonymous] = [aSuppression('user', 'x'), aSuppression('anonymous', 'x')];
    const registry = registryOf(user, anonymous, { key: user.key, value: null });
    expect(registry.drops(source, { userId: 'x' }, 5)).toBe(false);
    expect(registry.drops(source, { anonymousId: 'x' }, 5)).toBe(true);
    registry.apply(anonymous.key, null);
    expect(registry.forSource(source)).toBeUndefined();
    expect(registry.isEmpty).toBe(true);
  });

  it('counts a rewritten record once', () => {
    const registry = registryOf(aSuppression('user', 'u-1'), aSuppression('user', 'u-1', { until: 10_000 }));
    expect(registry.size).toBe(1);
    registry.apply(aSuppression('user', 'u-1').key, null);
    expect(registry.forSource(source)).toBeUndefined();
  });

  it('is rebuilt from its records, with those that it cannot use', () => {
    const foreign = aSuppression('user', 'u-9', {}, otherKey);
    const records = [
      aSuppression('user', 'u-1', { until: 10_000, wasErased: true, mode: 'erase' }),
      aSuppression('anonymous', 'a-1'),
      foreign,
    ];
    expect([...registryOf(...registryOf(...records).records()).records()]).toEqual(records);
  });

  it('counts records that cannot be used, and leaves in force what it knew', () => {
    const foreign = aSuppression('user', 'u-9', {}, otherKey);
    const known = aSuppression('user', 'u-1');
    const registry = registryOf(
      known,
      foreign,
      { key: known.key, value: Buffer.from('{') },
      { key: 'x', value: known.value },
    );
    expect(registry.unusableRecords).toBe(3);
    expect(registry.hasOtherKeys).toBe(true);
    expect(registry.drops(source, { userId: 'u-1' }, 5)).toBe(true);
    registry.apply(foreign.key, null);
    registry.apply('x', null);
    expect(registry.hasOtherKeys).toBe(false);
    registry.apply(known.key, known.value);
    expect(registry.unusableRecords).toBe(0);
  });

  it('has no id in its records', () => {
    const { key: name, value } = aSuppression('user', 'jane@example.com');
    expect(`${name}${value?.toString()}`).not.toContain('jane');
    expect(name).toBe(suppressionKey({ source, kind: 'user', hash: key.hash('user', 'jane@example.com') }));
  });
});
