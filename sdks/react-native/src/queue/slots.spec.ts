import { setImmediate } from 'node:timers/promises';
import { type Batch, newBatch } from '@sluice/sdk-core';
import { describe, expect, it, vi } from 'vitest';
import { type Storage } from '../storage/storage.js';
import { FakeStorage, SlowStorage } from './fake-storages.spec-support.js';
import { KvQueue } from './kv-queue.js';
import { decode, encode } from './slot.js';
import { Slots } from './slots.js';

const origin = { host: 'https://sluice.test', sourceIdentifier: 'Source000001', kind: 'track', created: 1 } as const;
const aBatch = (key: string): Batch => newBatch({ ...origin, key });

interface Phone {
  readonly queue: KvQueue;
  readonly failures: unknown[];
  readonly damages: number[];
  /** Fires the timers. */
  readonly tick: () => void;
}

function aQueue(storage: Storage, isAsync: boolean): Phone {
  const timers = new Set<() => void>();
  const [failures, damages]: [unknown[], number[]] = [[], []];
  const clock = {
    later: (_: number, work: () => void) => {
      timers.add(work);
      return () => timers.delete(work);
    },
  };
  const failed = (cause: unknown): void => void failures.push(cause);
  const slots = new Slots(storage, { isAsync, clock, failed, gone: () => undefined });
  const listener = { damaged: (count: number) => void damages.push(count), incomplete: () => undefined };
  const queue = new KvQueue(slots, 'Source000001', listener);
  const tick = (): void => {
    for (const work of timers) work();
  };
  return { queue, failures, damages, tick };
}

interface HangingStorage extends Storage {
  isHanging: boolean;
  /** Number of writes that were begun. */
  writes: number;
  /** Makes the write that hangs. */
  release?: () => void;
}

/** The device's storage, asynchronously. While it hangs, writes do not end before they are released. */
function aHangingStorage(device: FakeStorage): HangingStorage {
  const storage = device.sync();
  const hanging: HangingStorage = {
    isHanging: false,
    writes: 0,
    getItem: (name) => Promise.resolve(storage.getItem(name)),
    removeItem: (name) => Promise.resolve(storage.removeItem(name)),
    getAllKeys: () => Promise.resolve(storage.getAllKeys()),
    setItem: (name, text) => {
      hanging.writes++;
      if (!hanging.isHanging) return Promise.resolve(storage.setItem(name, text));
      return new Promise<void>((resolve) => {
        hanging.release = () => resolve(void storage.setItem(name, text));
      });
    },
  };
  return hanging;
}

/** Messages of the device by their batch. */
const stored = (device: FakeStorage): Record<string, readonly string[]> =>
  Object.fromEntries(
    [...device.items.values()].flatMap((text) => decode(text).slot).map(({ batch, texts }) => [batch.key, texts]),
  );

describe('a write that may or may not have been made', () => {
  it('counts as made: its message keeps its place, and the next write makes sure', () => {
    const device = new FakeStorage();
    const storage = device.sync();
    const { queue, failures } = aQueue(storage, false);
    const batch = aBatch('k');
    void queue.append(batch, 0, '"a"');
    const mute = vi.spyOn(storage, 'getItem').mockImplementation(() => {
      throw new Error('no answer');
    });
    device.isFull = true;
    expect([queue.append(batch, 1, '"b"'), queue.isSafe(), failures.length]).toEqual([true, false, 1]);
    mute.mockRestore();
    device.isFull = false;
    expect(queue.append(batch, 2, '"c"')).toBe(true);
    expect([stored(device), queue.isSafe()]).toEqual([{ k: ['"a"', '"b"', '"c"'] }, true]);
  });

  it('is a failure if the store says that it was not made', () => {
    const device = new FakeStorage();
    const { queue, failures } = aQueue(device.sync(), false);
    void queue.append(aBatch('k'), 0, '"a"');
    device.isFull = true;
    expect(() => queue.append(aBatch('k'), 1, '"b"')).toThrow('disk full');
    expect([stored(device), queue.isSafe(), failures]).toEqual([{ k: ['"a"'] }, false, []]);
  });
});

describe('a store that hangs', () =>
  it('holds up nobody, is not overtaken, and gets everything when it answers again', async () => {
    const device = new FakeStorage();
    const hanging = aHangingStorage(device);
    const { queue, failures, tick } = aQueue(hanging, true);
    const batch = aBatch('k');
    expect(await queue.append(batch, 0, '"a"')).toBe(true);
    hanging.isHanging = true;
    const second = queue.append(batch, 1, '"b"');
    await vi.waitFor(() => expect(hanging.release).toBeDefined());
    tick();
    expect(await second).toBe(true);
    expect(await queue.append(batch, 2, '"c"')).toBe(true);
    expect([await queue.seal({ ...batch, sealed: true, count: 3 }), await queue.read('k')]).toEqual([
      3,
      ['"a"', '"b"', '"c"'],
    ]);
    // A batch that the store has never had is refused, so that memory keeps it.
    await expect(queue.append(aBatch('other'), 0, '"d"')).rejects.toThrow();
    expect([hanging.writes, queue.isSafe(), failures.length > 0]).toEqual([2, false, true]);
    hanging.isHanging = false;
    hanging.release?.();
    await vi.waitFor(() => expect(stored(device)).toEqual({ k: ['"a"', '"b"', '"c"'] }));
    await queue.remove({ ...batch, count: 3 });
    expect(stored(device)).toEqual({});
  }));

it('a burst of events takes few writes', async () => {
  const device = new SlowStorage(31);
  const set = vi.spyOn(device, 'set');
  const { queue } = aQueue(device.async(), true);
  const batch = aBatch('k');
  await Promise.all(Array.from({ length: 100 }, async (_, at) => await queue.append(batch, at, `"${at}"`)));
  expect(stored(device)['k']).toHaveLength(100);
  expect(set.mock.calls.length).toBeLessThan(5);
});

describe('clear of an asynchronous store', () => {
  const turns = Array.from({ length: 8 }, (_, at) => at);
  const wait = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) await setImmediate();
  };

  it.each(turns)('removes a batch that was appended %i turns before', async (count) => {
    const device = new SlowStorage(7);
    const { queue } = aQueue(device.async(), true);
    const appended = queue.append(aBatch('k'), 0, '"a"');
    await wait(count);
    await Promise.all([queue.clear('Source000001'), appended]);
    await queue.idle();
    expect(stored(device)).toEqual({});
  });

  it('never writes a batch that was appended in the same task', async () => {
    const device = new SlowStorage(7);
    const set = vi.spyOn(device, 'set');
    const { queue } = aQueue(device.async(), true);
    await Promise.all([queue.append(aBatch('k'), 0, '"a"'), queue.clear('Source000001')]);
    expect(set).not.toHaveBeenCalled();
  });

  it('keeps a batch that is begun before the store lists its names', async () => {
    const device = new SlowStorage(7);
    const storage = device.async();
    let list: (() => void) | undefined;
    const getAllKeys = async (): Promise<readonly string[]> => {
      await new Promise<void>((resolve) => {
        list = resolve;
      });
      return await storage.getAllKeys();
    };
    const { queue } = aQueue({ ...storage, getAllKeys }, true);
    await queue.append(aBatch('stored'), 0, '"a"');
    const waiting = queue.append(aBatch('waiting'), 0, '"b"');
    const cleared = queue.clear('Source000001');
    await Promise.all([waiting, queue.append(aBatch('later'), 0, '"c"')]);
    await vi.waitFor(() => expect(list).toBeDefined());
    list?.();
    await cleared;
    expect(stored(device)).toEqual({ later: ['"c"'] });
  });

  it('removes a batch whose write hangs, once the store answers', async () => {
    const device = new FakeStorage();
    const hanging = aHangingStorage(device);
    hanging.isHanging = true;
    const { queue, tick } = aQueue(hanging, true);
    const appended = queue.append(aBatch('k'), 0, '"a"');
    await vi.waitFor(() => expect(hanging.release).toBeDefined());
    tick();
    await appended;
    await expect(queue.clear('Source000001')).rejects.toThrow('the store does not answer');
    hanging.release?.();
    await setImmediate();
    await queue.idle();
    expect([stored(device), queue.isSafe()]).toEqual([{}, true]);
  });
});

it('a try that is noted takes no more room', () => {
  const batch = { ...aBatch('k'), sealed: true };
  const noted = {
    tries: 99_999,
    doubts: 12,
    tooLarge: 7,
    firstTry: Date.now(),
    lastTry: Date.now(),
    nextTry: Date.now() + 0.123_4,
  };
  const length = encode([{ batch, texts: ['"a"'] }]).length;
  expect(encode([{ batch: { ...batch, ...noted }, texts: ['"a"'] }])).toHaveLength(length);
  expect(decode(encode([{ batch: { ...batch, ...noted, count: 1 }, texts: ['"a"'] }])).slot).toEqual([
    { batch: { ...batch, ...noted, count: 1 }, texts: ['"a"'] },
  ]);
});

describe('a damaged text', () => {
  const whole = encode([{ batch: aBatch('k'), texts: ['"one"', '"two"', '"three"'] }]);

  it('keeps its whole messages wherever it is cut off, and the others are counted', () => {
    for (let cut = 0; cut < whole.length; cut++) {
      const { slot, lost } = decode(whole.slice(0, cut));
      const texts = slot[0]?.texts ?? [];
      expect(['"one"', '"two"', '"three"'].slice(0, texts.length)).toEqual(texts);
      if (cut > 0) expect(lost).toBeGreaterThan(0);
      if (cut > whole.indexOf('\n')) expect(texts.length + lost).toBe(3);
    }
    expect(decode(whole)).toMatchObject({ slot: [{ texts: ['"one"', '"two"', '"three"'] }], lost: 0 });
  });

  it('is counted once, and what is left of it is a batch', () => {
    const device = new FakeStorage();
    device.items.set('sluice.b.k', whole.slice(0, -3));
    const first = aQueue(device.sync(), false);
    expect(first.queue.list()).toMatchObject([{ key: 'k', count: 2, sealed: true }]);
    expect([first.damages, first.queue.read('k')]).toEqual([[1], ['"one"', '"two"']]);
    const second = aQueue(device.sync(), false);
    expect(second.queue.list()).toMatchObject([{ key: 'k', count: 2, sealed: true }]);
    expect(second.damages).toEqual([]);
  });

  it('of a newer version stays as it is', () => {
    const device = new FakeStorage();
    const newer = whole.replace('"v":1', '"v":2');
    device.items.set('sluice.b.k', newer);
    const { queue, damages } = aQueue(device.sync(), false);
    expect([queue.list(), damages]).toEqual([[], []]);
    expect(device.items.get('sluice.b.k')).toBe(newer);
  });

  it.each(['', 'nonsense', 'null', '{}', '{"v":1}\n"a"', '[1]\n'])('%j does no damage', (text) => {
    const device = new FakeStorage();
    device.items.set('sluice.b.k', text);
    expect(aQueue(device.sync(), false).queue.list()).toEqual([]);
  });
});
