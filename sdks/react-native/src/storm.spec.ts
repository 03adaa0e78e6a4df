import { seeded } from '@sluice/sdk-contract';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClientOn } from './create-client.js';
import { type ReactNativeClient } from './options.js';
import { Phone } from './phone.spec-support.js';
import { FakeStorage, SlowStorage } from './queue/fake-storages.spec-support.js';
import { type Storage } from './storage/storage.js';

const seeds = 30;
const steps = 80;
const minute = 60_000;
const hour = 60 * minute;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  // In this order: the stub of setTimeout stands in front of the fake one.
  vi.unstubAllGlobals();
  vi.useRealTimers();
  Object.assign(globalThis, { __sluiceReactNative: undefined });
});

const never = new Promise<never>(() => undefined);

/** A phone whose app is killed, whose store fails, and whose network does what it likes. The seed decides all of it. */
class Storm {
  readonly random: () => number;
  readonly device: FakeStorage;
  readonly promised = new Set<string>();
  /** Names of the events by source, key and place, as the service stores them. */
  readonly arrived = new Map<string, string>();
  /** Messages that were reported to errorHandler as lost. */
  lost = 0;
  isCalm = false;
  private life = { isAlive: true, isInDoubt: false };
  private client: ReactNativeClient;
  private made = 0;

  constructor(seed: number) {
    this.random = seeded(seed);
    this.device = seed % 2 === 0 ? new FakeStorage() : new SlowStorage(seed, 0.1);
    const [timer, { life }] = [globalThis.setTimeout, this];
    vi.stubGlobal('setTimeout', (work: () => void, ms: number) => {
      const { life: own } = this;
      return timer(() => {
        if (own.isAlive) work();
      }, ms);
    });
    vi.stubGlobal('fetch', (_: string, init: { headers: Record<string, string>; body: string }) => this.answer(init));
    this.client = this.launch(life);
  }

  async step(): Promise<void> {
    const roll = this.random() * 100;
    if (roll < 50) await this.track();
    else if (roll < 60) {
      this.life.isAlive = false;
      Object.assign(globalThis, { __sluiceReactNative: undefined });
      this.life = { isAlive: true, isInDoubt: false };
      this.client = this.launch(this.life);
    } else if (roll < 65) this.device.isFull = !this.device.isFull;
    else if (roll < 70) void this.client.flush();
    await vi.advanceTimersByTimeAsync(this.random() ** 6 * hour);
  }

  async calmDown(): Promise<void> {
    this.isCalm = true;
    this.device.isFull = false;
    await vi.advanceTimersByTimeAsync(3 * hour);
  }

  private async track(): Promise<void> {
    const names: string[] = [];
    const { life, client } = this;
    for (let count = this.random() * 30; count > 0; count--) {
      const name = `e${this.made++}`;
      if (!client.track(name)) continue;
      if (this.device instanceof SlowStorage) names.push(name);
      else if (!life.isInDoubt) this.promised.add(name);
    }
    const saved = client.saved();
    void saved.then((isSaved) => {
      if (!life.isAlive) return;
      life.isInDoubt = !isSaved;
      if (isSaved) for (const name of names) this.promised.add(name);
    });
    // Now and then the app is killed before it knows whether the events are saved.
    if (this.random() < 0.8) await vi.advanceTimersByTimeAsync(50);
  }

  private launch(life: Storm['life']): ReactNativeClient {
    return createClientOn(new Phone('android'), {
      android: { apiKey: 'key', sourceIdentifier: 'Source000001' },
      apiHost: 'https://sluice.test',
      storage: this.storageOf(life),
      errorHandler: ({ code, count = 0 }) => {
        if (code === 'storage') life.isInDoubt = true;
        this.lost += count;
      },
    });
  }

  /** The store of one process. Once that is killed, its calls never end. */
  private storageOf(life: Storm['life']): Storage {
    const { device } = this;
    if (!(device instanceof SlowStorage)) return device.sync();
    const storage = device.async();
    const isAlive = (): boolean => life.isAlive;
    const whileAlive = async <T>(work: () => Promise<T> | T): Promise<T> => {
      if (!isAlive()) return await never;
      try {
        const value = await work();
        return isAlive() ? value : await never;
      } catch (error) {
        if (isAlive()) throw error;
        return await never;
      }
    };
    return {
      getItem: (name) => whileAlive(() => storage.getItem(name)),
      setItem: (name, value) => whileAlive(() => storage.setItem(name, value)),
      removeItem: (name) => whileAlive(() => storage.removeItem(name)),
      getAllKeys: () => whileAlive(() => storage.getAllKeys()),
    };
  }

  private async answer({ headers, body }: { headers: Record<string, string>; body: string }): Promise<Response> {
    const { life } = this;
    const roll = this.isCalm ? 0 : this.random() * 100;
    if (roll <= 60) this.take(headers['Idempotency-Key'] ?? '', body);
    await new Promise((resolve) => globalThis.setTimeout(resolve, this.random() * 500));
    if (!life.isAlive) return never;
    // Stored and answered, stored without an answer, and not stored.
    if (roll < 40) return Response.json({ status: 'QUEUED' });
    if (roll < 50) throw new TypeError('cut after it was stored');
    if (roll < 60) return new Response('<html>', { status: 504 });
    if (roll < 70) throw new TypeError('cut before');
    return Response.json([{ field: '', message: 'error' }], { status: roll < 98 ? 503 : 401 });
  }

  private take(key: string, body: string): void {
    const { list } = JSON.parse(body) as { list: { event: string }[] };
    for (const [at, { event }] of list.entries()) this.arrived.set(`${key} ${at} ${event}`, event);
  }
}

let promised = 0;

it.each(Array.from({ length: seeds }, (_, at) => at + 1))(
  'storm %i: what was promised is stored once, whatever the store, the network and kills do',
  { timeout: 60_000 },
  async (seed) => {
    const storm = new Storm(seed);
    for (let step = 0; step < steps; step++) await storm.step();
    await storm.calmDown();
    const names = [...storm.arrived.values()];
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    const arrived = new Set(names);
    expect([...storm.promised].filter((name) => !arrived.has(name))).toEqual([]);
    expect(storm.lost).toBe(0);
    promised += storm.promised.size;
  },
);

it('the storms had something to lose', () => expect(promised).toBeGreaterThan(10 * seeds));
