import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import { type ServerProcess } from '@sluice/testing';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { EventsLedger } from './events-ledger.js';
import { Generator } from './generator.js';
import { startTracking, type TrackingOptions } from './tracking-process.js';

// The short version of exactly-once.faults.ts, with the built tracking service (npm run build).

const instances: ServerProcess[] = [];
afterEach(() => Promise.all(instances.splice(0).map((instance) => instance.stop(0))));

async function emptyDatabase(): Promise<EventsLedger> {
  const database = `faults_${randomUUID().replaceAll('-', '')}`;
  const client = createClient({ url: inject('clickhouseUrl') });
  await client.command({ query: `CREATE DATABASE ${database}` });
  await client.close();
  const ledger = new EventsLedger(inject('clickhouseUrl'), database);
  await ledger.prepare();
  return ledger;
}

it('stores every acknowledged message once, when consumers are killed at the worst moments', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-kills-'));
  const ledger = await emptyDatabase();
  const { database } = ledger;
  const options: TrackingOptions = {
    brokers: inject('kafkaBrokers'),
    clickhouseUrl: inject('clickhouseUrl'),
    database,
    folder,
  };
  const survivor = await startTracking(options);
  instances.push(survivor);
  const generator = new Generator(inject('kafkaBrokers'));
  await generator.start(500);

  for (const point of ['after-intent:2', 'after-insert:3', 'after-dead-letters:2']) {
    const doomed = await startTracking(options, point);
    instances.push(doomed);
    expect(await Promise.race([doomed.ended, sleep(45_000, 'alive')])).toBe('SIGKILL');
  }
  await survivor.stop(0);
  instances.push(await startTracking(options));
  await generator.stop();

  const isComplete = async () => {
    expect(await ledger.balance(generator.acknowledged)).toMatchObject({ lost: 0 });
  };
  await vi.waitFor(isComplete, { timeout: 60_000, interval: 500 });
  const sent = generator.acknowledged.size;
  expect(await ledger.balance(generator.acknowledged)).toEqual({
    sent,
    stored: sent,
    unique: sent,
    lost: 0,
    doubled: 0,
  });
  await ledger.close();
  await rm(folder, { recursive: true, force: true });
}, 240_000);
