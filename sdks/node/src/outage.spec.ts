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
/** Ten minutes: a month in steps of one takes half a minute. Timers fire late, at the end of a step. */
const stepMs = hour / 6;
/** Turns of the event loop after which a client has done what it can. */
const turns = 3;

/** A service that is down at first, and clients whose time passes only on demand. */
class World {
  isUnreachable = true;
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
        credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' },
        apiHost: 'https://sluice.test',
        errorHandler: (error) => void this.reports.push(error),
        ...options,
      },
      { clock, transport, disk: { ...realDisk, sync: () => Promise.resolve(), syncFolder: () => Promise.resolve() } },
    );
  }

  async advance(ms: number): Promise<void> {
    for (const end = this.elapsed + ms; this.elapsed < end;) {
      this.elapsed = Math.min(end, this.elapsed + stepMs);
      await this.fireDue();
    }
  }

  /** Fires the timers that are due, and those that become due by that. */
  private async fireDue(): Promise<void> {
    for (let due = this.takeDue(); due.length > 0; due = this.takeDue()) {
      for (const { work } of due) work();
      for (let turn = 0; turn < turns; turn++) await setImmediate();
    }
  }

  private takeDue(): { work: () => void }[] {
    const due = this.timers.filter(({ at }) => at <= this.elapsed).sort((one, other) => one.at - other.at);
    this.timers = this.timers.filter(({ at }) => at > this.elapsed);
    return due;
  }

  /** Reports except those of the outage itself. */
  losses = (): SluiceError[] => this.reports.filter(({ code }) => code !== 'unreachable');

  /** Ends all clients like a crash: none of their timers fires. */
  crash(): void {
    this.timers = [];
  }

  private answer({ body = '' }: HttpRequest): Promise<HttpAnswer> {
    if (this.isUnreachable) return Promise.reject(new TypeError('no answer'));
    for (const { event } of (JSON.parse(body) as { list: { event: string }[] }).list) this.stored.push(event);
    return Promise.resolve({ status: 200, body: '{"status":"QUEUED"}', header: () => null });
  }
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-outage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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
    world.isUnreachable = false;
    await world.advance(hour);
    expect(world.losses()).toEqual([]);
    expect(world.stored.sort()).toEqual(names(halfDays));
    await client.close();
  },
  120_000,
);

it('30 days with a directory whose process crashes every five days lose and double nothing', async () => {
  const world = new World();
  const days = 30;
  let client = world.client({ storage: { directory: folder } });
  for (let at = 0; at < days - 1; at++) {
    expect(client.track(`e${at}`, {}, { userId: 'u' })).toBe(true);
    await world.advance(24 * hour);
    if (at % 5 !== 4) continue;
    world.crash();
    // Gives the batches to an owner that has ended, because this process, which made them, has not.
    const batches = join(folder, 'batches');
    for (const owner of readdirSync(batches)) renameSync(join(batches, owner), join(batches, `left-${at}`));
    client = world.client({ storage: { directory: folder } });
  }
  world.isUnreachable = false;
  await world.advance(24 * hour);
  expect(world.losses()).toEqual([]);
  expect(world.stored.sort()).toEqual(names(days - 1));
}, 120_000);

it('what is older than maxAge is given up, counted and reported', async () => {
  const world = new World();
  const client = world.client({ storage: { directory: folder }, maxAge: 24 * hour });
  client.track('e0', {}, { userId: 'u' });
  await world.advance(26 * hour);
  client.track('e1', {}, { userId: 'u' });
  world.isUnreachable = false;
  await world.advance(hour);
  expect(world.losses()).toMatchObject([{ code: 'expired', count: 1 }]);
  expect(world.stored).toEqual(['e1']);
  await client.close();
}, 120_000);
