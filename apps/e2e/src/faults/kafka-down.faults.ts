import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningClickHouse, signalGroup, startClickHouse } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answersOf, type HttpGenerator } from './http-generator.js';
import { KafkaDown } from './kafka-away.js';

const requestsPerSecond = 200;
const downMs = 60_000;
/** The publisher's deadline and the breaker's reaction on a busy machine; until then requests can wait for Kafka. */
const untilOpenMs = 4_000;
const drainMs = 120_000;

let folder: string;
let clickhouse: RunningClickHouse;
let clickhouseUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-away-clickhouse-'));
  clickhouse = await startClickHouse({ dataDir: folder });
  clickhouseUrl = clickhouse.url;
}, 120_000);
afterAll(async () => {
  await clickhouse.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}, 60_000);

interface Harmed {
  away: KafkaDown;
  generator: HttpGenerator;
}

/**
 * Causes a fault under load, waits until everything is stored, and prints the figures. Asserts that every message
 * answered with 200 is stored once, that no answer took 5 s, and that clients saw exactly these `statuses`.
 */
function fault(
  name: string,
  harm: (harmed: Harmed) => Promise<void>,
  statuses: readonly number[],
  settings: Record<string, string> = {},
): void {
  it(
    name,
    async () => {
      const away = await KafkaDown.start(clickhouseUrl, settings);
      try {
        const generator = away.load('user', requestsPerSecond);
        await sleep(3_000);
        const from = Date.now();
        await harm({ away, generator });
        const back = Date.now();
        await sleep(3_000);
        await generator.stop();
        await away.gateway.untilDrained(drainMs);
        const all = answersOf(generator.sent);
        const whileDown = answersOf(generator.sent, from + untilOpenMs, back);
        const balance = await away.balance(drainMs);
        const refused = await away.gateway.metric('sluice_spool_refused_messages');
        console.log(`${name}: ${JSON.stringify({ balance, whileDown, all, refused })}`);
        expect(balance).toMatchObject({ lost: 0, doubled: 0, sent: generator.acknowledged.size });
        expect(Object.keys(all.byStatus).map(Number)).toEqual(statuses);
        expect(all.maxMs).toBeLessThan(5_000);
      } finally {
        await away.stop();
      }
    },
    10 * 60_000,
  );
}

const pause = ({ kafka }: KafkaDown): void => void signalGroup(kafka.pid, 'SIGSTOP');
const resume = ({ kafka }: KafkaDown): void => void signalGroup(kafka.pid, 'SIGCONT');

fault(
  'Kafka paused for 60 s',
  async ({ away }) => {
    pause(away);
    await sleep(downMs);
    resume(away);
  },
  [200],
);

fault(
  'Kafka killed, back after 60 s',
  async ({ away }) => {
    await away.kafka.stop(0);
    await sleep(downMs);
    await away.restartKafka();
  },
  [200],
);

fault(
  'Kafka paused and killed repeatedly',
  async ({ away }) => {
    for (let round = 0; round < 6; round++) {
      pause(away);
      await sleep(500 + Math.random() * 6_000);
      if (round % 3 === 2) {
        await away.kafka.stop(0);
        await away.restartKafka();
      } else resume(away);
      await sleep(500 + Math.random() * 4_000);
    }
  },
  [200],
);

fault(
  'a full disk while Kafka is unavailable',
  async ({ away }) => {
    pause(away);
    await sleep(downMs / 2);
    expect(await away.gateway.isReady()).toBe(false);
    resume(away);
    await away.gateway.untilDrained(drainMs);
    expect(await away.gateway.isReady()).toBe(true);
  },
  [200, 503],
  { SPOOL_MAX_BYTES: String(2 * 1024 * 1024) },
);

fault(
  'the gateway killed with a full spool, and again while the spool drains',
  async ({ away }) => {
    pause(away);
    await sleep(downMs / 2);
    resume(away);
    for (let kills = 0; kills < 5; kills++) {
      await away.gateway.kill();
      await away.gateway.restart();
      await sleep(Math.random() * 1_000);
    }
  },
  [0, 200],
);
