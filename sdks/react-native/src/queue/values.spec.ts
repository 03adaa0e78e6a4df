import { newBatch } from '@sluice/sdk-core';
import { describe, expect, it } from 'vitest';
import { type Storage } from '../storage/storage.js';
import { FakeStorage, SlowStorage } from './fake-storages.spec-support.js';
import { Slots } from './slots.js';
import { createCachedValues } from './values.js';

const noTimers = { later: () => () => undefined };
const ignore = (): undefined => undefined;

/** A store whose writes of ids end on demand. */
function aStore(device: FakeStorage) {
  const storage = device.sync();
  const writes: (() => void)[] = [];
  const slow: Storage = {
    getItem: (name) => Promise.resolve(storage.getItem(name)),
    removeItem: (name) => Promise.resolve(storage.removeItem(name)),
    getAllKeys: () => Promise.resolve(storage.getAllKeys()),
    setItem: (name, text) =>
      new Promise<void>((resolve) => {
        const write = (): void => resolve(void storage.setItem(name, text));
        if (name.startsWith('sluice.v.')) writes.push(write);
        else write();
      }),
  };
  return { slow, writes };
}

it('no message is stored before the ids that it names', async () => {
  const device = new FakeStorage();
  const { slow, writes } = aStore(device);
  const values = createCachedValues('Source000001', slow, noTimers, ignore);
  await values.ready;
  values.set('device', 'device-1');
  const slots = new Slots(slow, {
    isAsync: true,
    clock: noTimers,
    failed: ignore,
    gone: ignore,
    ...(values.written && { idsWritten: values.written }),
  });
  const origin = { host: 'https://sluice.test', sourceIdentifier: 'Source000001', kind: 'track', created: 1 } as const;
  const stored = { batch: newBatch({ ...origin, key: 'k' }), texts: ['"a"'] };
  const changed = slots.change('sluice.b.k', () => [[stored], 'done']);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([[...device.items.keys()], writes.length]).toEqual([[], 1]);
  writes[0]?.();
  expect(await changed).toBe('done');
  expect([...device.items.keys()]).toEqual(['sluice.v.Source000001.device', 'sluice.b.k']);
});

it('ids are known until a look finds that the store was cleared', async () => {
  const device = new FakeStorage();
  device.items.set('sluice.v.Source000001.device', 'device-1');
  const { slow } = aStore(device);
  const values = createCachedValues('Source000001', slow, noTimers, ignore);
  await values.ready;
  expect(values.get('device')).toBe('device-1');
  await values.look();
  expect(values.get('device')).toBe('device-1');
  device.items.clear();
  await values.look();
  expect(values.get('device')).toBeNull();
});

describe('values that are cleared before they have been read', () => {
  const names = ['device', 'anonymousId', 'userId'].map((name) => `sluice.v.Source000001.${name}`);
  const aUsedDevice = (): SlowStorage => {
    const device = new SlowStorage(7);
    for (const name of names) device.items.set(name, 'old');
    return device;
  };

  it('are removed from the store and stay unknown', async () => {
    const device = aUsedDevice();
    const values = createCachedValues('Source000001', device.async(), noTimers, ignore);
    values.clear();
    await values.ready;
    await values.written?.();
    expect([values.get('device'), values.get('userId'), [...device.items]]).toEqual([null, null, []]);
  });

  it('are removed from a store that cannot be read', async () => {
    const device = aUsedDevice();
    const getItem = (): Promise<never> => Promise.reject(new Error('no answer'));
    const values = createCachedValues('Source000001', { ...device.async(), getItem }, noTimers, ignore);
    values.clear();
    await values.ready?.catch(ignore);
    await values.written?.();
    expect([...device.items]).toEqual([]);
  });

  it('do not remove values that are set afterwards', async () => {
    const device = aUsedDevice();
    const values = createCachedValues('Source000001', device.async(), noTimers, ignore);
    values.clear();
    values.set('device', 'new');
    await values.ready;
    await values.written?.();
    expect([values.get('device'), [...device.items]]).toEqual(['new', [['sluice.v.Source000001.device', 'new']]]);
  });
});
