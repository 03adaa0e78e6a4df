import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type HttpAnswer, type HttpRequest, type SluiceError } from '@sluice/sdk-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from './create-client.js';
import { realDisk } from './store/disk.js';
import { type NodeClient, type NodeOptions } from './options.js';

const hour = 3_600_000;

/** A service that is away until it is there, and clients whose time passes only when they are told. */
class World {
  isAway = true;
  requests = 0;
  readonly stored: string[] = [];
  readonly reports: SluiceError[] = [];
  private elapsed = 0;
  private timers: { at: number; work: () => void }[] = [];

  client(options: Partial<NodeOptions>): NodeClient {
    const clock = {
      now: () => Date.UTC(2026, 0) + this.elapsed,
      monotonic: () => this.elapsed,
      later: (ms: number, work: () => void) => {
        const timer = { at: this.elapsed + ms, work };
        this.timers.push(timer);
        return () => {
          this.timers = this.timers.filter((one) => one !== timer);
        };
      },
    };
    const transport = {
      send: (request: HttpRequest) => ({ answer: this.answer(request), abort: () => undefined }),
      end: () => undefined,
    };
    return createClient(
      {
        ...{ credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' }, apiHost: 'https://sluice.test' },
        ...{ errorHandler: (error) => void this.reports.push(error), ...options },
      },
      { clock, transport, disk: { ...realDisk, sync: () => Promise.resolve(), syncFolder: () => Promise.resolve() } },
    );
  }

  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    for (;;) {
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      const next = this.timers.reduce<(typeof this.timers)[number] | undefined>(
        (first, timer) => (!first || timer.at < first.at ? timer : first),
        undefined,
      );
      if (!next || next.at > end) break;
      this.timers = this.timers.filter((one) => one !== next);
      this.elapsed = Math.max(this.elapsed, next.at);
      next.work();
    }
    this.elapsed = end;
  }

  /** Ends all clients like a crash: none of their timers fires. */
  crash(): void {
    this.timers = [];
  }

  private answer({ body = '' }: HttpRequest): Promise<HttpAnswer> {
    this.requests++;
    if (this.isAway) return Promise.reject(new TypeError('no answer'));
    for (const { event } of (JSON.parse(body) as { list: { event: string }[] }).list) this.stored.push(event);
    return Promise.resolve({ status: 200, body: '{"status":"QUEUED"}', header: () => null });
  }
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-outage-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `e${at}`).sort();

it.each([
  ['memory', 7],
  ['directory', 30],
] as const)(
  '%s: %i days without the service lose and double nothing',
  async (storage, days) => {
    const world = new World();
    const client = world.client({ storage: storage === 'memory' ? storage : { directory: folder } });
    // The first event is given up when it is as old as the outage may be.
    const halfDays = days * 2 - 1;
    for (let at = 0; at < halfDays; at++) {
      expect(client.track(`e${at}`, {}, { userId: 'u' })).toBe(true);
      await world.advance(12 * hour);
    }
    world.isAway = false;
    await world.advance(hour);
    expect(world.reports).toEqual([]);
    expect(world.stored.sort()).toEqual(names(halfDays));
    await client.close();
  },
  120_000,
);

it('30 days with a directory, whose processes end without a word every five days', async () => {
  const world = new World();
  const days = 30;
  let client = world.client({ storage: { directory: folder } });
  for (let at = 0; at < days - 1; at++) {
    expect(client.track(`e${at}`, {}, { userId: 'u' })).toBe(true);
    await world.advance(24 * hour);
    if (at % 5 !== 4) continue;
    world.crash();
    // Names of an owner that has ended: this process, which made them, has not.
    const batches = join(folder, 'batches');
    for (const owner of readdirSync(batches)) renameSync(join(batches, owner), join(batches, `left-${at}`));
    client = world.client({ storage: { directory: folder } });
  }
  world.isAway = false;
  await world.advance(24 * hour);
  expect(world.reports).toEqual([]);
  expect(world.stored.sort()).toEqual(names(days - 1));
}, 120_000);

it('what is older than maxAge is given up, counted and reported', async () => {
  const world = new World();
  const client = world.client({ storage: { directory: folder }, maxAge: 24 * hour });
  client.track('e0', {}, { userId: 'u' });
  await world.advance(26 * hour);
  client.track('e1', {}, { userId: 'u' });
  world.isAway = false;
  await world.advance(hour);
  expect(world.reports).toMatchObject([{ code: 'expired', count: 1 }]);
  expect(world.stored).toEqual(['e1']);
  await client.close();
}, 120_000);
