import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerProcess } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsumerOptions, startTracking } from './consumer-process.js';
import { EventsLedger } from './events-ledger.js';
import { StreamLoad } from '../load/stream-load.js';
import { requireStream } from './thousand/stream.js';
import { forgetPeak, peakMb } from './peak-memory.js';
import { ResetProxy } from './reset-proxy.js';
import { FaultServers } from './servers.js';

const track = requireStream('track');
const speed = 2_000 / track.rowsPerSecond;
const drainMs = 180_000;
/** OUTAGE_SECONDS=600 tests the guaranteed outage; the default shows the same in less time. */
const outageSeconds = Number(process.env['OUTAGE_SECONDS'] ?? 120);
const maxMb = 512;
const crashPoints = ['after-intent', 'after-insert', 'after-dead-letters'];

let servers: FaultServers;
let proxy: ResetProxy;
let load: StreamLoad;
let ledger: EventsLedger;
let options: ConsumerOptions;
const instances: ServerProcess[] = [];

beforeAll(async () => {
  servers = await FaultServers.start();
  proxy = await ResetProxy.start(servers.clickhousePort);
  const { brokers, folder, clickhousePort } = servers;
  const clickhouseUrl = `http://127.0.0.1:${clickhousePort}`;
  ledger = new EventsLedger(clickhouseUrl, 'default');
  await ledger.prepare();
  options = { brokers, folder, clickhouseUrl: proxy.url, database: ledger.database, replicationFactor: 3 };
  instances.push(await startTracking(options), await startTracking(options));
  load = new StreamLoad(brokers, [track]);
  await load.start();
  load.resume(speed);
}, 300_000);

afterAll(async () => {
  await load.stop();
  await Promise.all(instances.map((instance) => instance.stop()));
  await proxy.stop();
  await ledger.close();
  await servers.stop();
}, 120_000);

const between = (min: number, max: number): number => min + Math.random() * (max - min);

/** Causes a fault under load, waits until everything is stored, then prints and asserts the balance. */
function fault(name: string, inject: () => Promise<string>): void {
  it(
    name,
    async () => {
      const fault = await inject();
      await sleep(2_000);
      await load.pause();
      const deadline = Date.now() + drainMs;
      while ((await ledger.count().catch(() => 0)) < load.acknowledgedCount(track) && Date.now() < deadline) {
        await sleep(500);
      }
      // Duplicates can be stored late.
      await sleep(3_000);
      const balance = await ledger.balance(load.ids(track));
      const figures = Object.entries(balance).map(([measure, count]) => `${measure} ${count}`);
      console.log(`${name} (${fault}): ${figures.join(', ')}; sends repeated so far ${load.repeated}`);
      expect(balance).toMatchObject({ lost: 0, doubled: 0, stored: load.acknowledgedCount(track) });
      load.resume(speed);
    },
    20 * 60_000,
  );
}

async function killAndReplace(index: number, crashPoint: string): Promise<void> {
  const victim = instances[index];
  if (!victim) return;
  await victim.stop(0);
  if (crashPoint !== '') {
    const doomed = await startTracking(options, crashPoint);
    await Promise.race([doomed.ended, sleep(60_000)]);
    await doomed.stop(0);
  }
  instances[index] = await startTracking(options);
}

fault('consumers killed', async () => {
  let kills = 0;
  for (let round = 0; round < 10; round++) {
    await sleep(between(500, 5_000));
    const point = crashPoints[round % crashPoints.length] ?? '';
    // Kills one at a random moment and its replacement at a crash point; every third round kills the other one too.
    const replacements = [killAndReplace(round % 2, `${point}:${Math.ceil(between(0, 12))}`)];
    if (round % 3 === 0) replacements.push(killAndReplace((round + 1) % 2, ''));
    await Promise.all(replacements);
    kills += replacements.length + 1;
  }
  for (; kills < 32; kills++) {
    await sleep(between(200, 4_000));
    await killAndReplace(kills % 2, '');
  }
  return `${kills} SIGKILLs`;
});

fault('a long outage of ClickHouse', async () => {
  const pids = instances.map(({ pid }) => pid);
  await Promise.all(pids.map(forgetPeak));
  const stored = await ledger.count();
  await servers.clickhouseProcess.stop(0);
  await sleep(outageSeconds * 1_000);
  await servers.restartClickHouse();
  const [backAt, waiting] = [performance.now(), load.acknowledgedCount(track)];
  while ((await ledger.count().catch(() => 0)) < waiting) await sleep(250);
  const seconds = (performance.now() - backAt) / 1_000;
  const peaks = await Promise.all(pids.map(peakMb));
  expect(Math.max(...peaks)).toBeLessThan(maxMb);
  const rate = Math.round((waiting - stored) / seconds);
  return `for ${outageSeconds} s; ${waiting - stored} rows stored in ${Math.round(seconds)} s after it, ${rate} rows/s; peak memory ${peaks.join(' and ')} MiB`;
});

fault('connections reset while consumers are killed', async () => {
  for (let round = 0; round < 4; round++) {
    proxy.swallowsAnswers = true;
    await sleep(between(300, 1_500));
    await Promise.all([killAndReplace(round % 2, ''), sleep(800).then(() => (proxy.swallowsAnswers = false))]);
  }
  return '4 SIGKILLs with INSERTs in doubt';
});
