import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningClickHouse, signalGroup, startClickHouse } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { summarizeAnswers, type HttpGenerator } from './http-generator.js';
import { KafkaDown } from './kafka-down.js';

const requestsPerSecond = 200;
const downMs = 60_000;
/** Time for the publisher's deadline and the breaker on a busy machine; until then requests can wait for Kafka. */
const untilOpenMs = 4_000;
const drainMs = 120_000;

let folder: string;
let clickhouse: RunningClickHouse;
let clickhouseUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-down-clickhouse-'));
  clickhouse = await startClickHouse({ dataDir: folder });
  clickhouseUrl = clickhouse.url;
}, 120_000);
afterAll(async () => {
  await clickhouse.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}, 60_000);

interface Faulty {
  down: KafkaDown;
  generator: HttpGenerator;
}

/**
 * Causes a fault under load, waits until everything is stored, and prints the figures. Asserts that every message
 * answered with 200 is stored once, that no answer took 5 s, and that clients saw exactly these `statuses`.
 */
function fault(
  name: string,
  inject: (faulty: Faulty) => Promise<void>,
  statuses: readonly number[],
  settings: Record<string, string> = {},
): void {
  it(
    name,
    async () => {
      const down = await KafkaDown.start(clickhouseUrl, settings);
      try {
        const generator = down.load('user', requestsPerSecond);
        await sleep(3_000);
        const from = Date.now();
        await inject({ down, generator });
        const back = Date.now();
        await sleep(3_000);
        await generator.stop();
        await down.gateway.untilDrained(drainMs);
        const answers = summarizeAnswers(generator.sent);
        const whileDown = summarizeAnswers(generator.sent, from + untilOpenMs, back);
        const balance = await down.balance(drainMs);
        const refused = await down.gateway.metric('sluice_spool_refused_messages');
        console.log(`${name}: ${JSON.stringify({ balance, whileDown, all: answers, refused })}`);
        expect(balance).toMatchObject({ lost: 0, doubled: 0, sent: generator.acknowledged.size });
        expect(Object.keys(answers.byStatus).map(Number)).toEqual(statuses);
        expect(answers.maxMs).toBeLessThan(5_000);
      } finally {
        await down.stop();
      }
    },
    10 * 60_000,
  );
}

const pause = ({ kafka }: KafkaDown): void => void signalGroup(kafka.pid, 'SIGSTOP');
const resume = ({ kafka }: KafkaDown): void => void signalGroup(kafka.pid, 'SIGCONT');

fault(
  'Kafka paused for 60 s',
  async ({ down }) => {
    pause(down);
    await sleep(downMs);
    resume(down);
  },
  [200],
);

fault(
  'Kafka killed, back after 60 s',
  async ({ down }) => {
    await down.kafka.stop(0);
    await sleep(downMs);
    await down.restartKafka();
  },
  [200],
);

fault(
  'Kafka paused and killed repeatedly',
  async ({ down }) => {
    for (let round = 0; round < 6; round++) {
      pause(down);
      await sleep(500 + Math.random() * 6_000);
      if (round % 3 === 2) {
        await down.kafka.stop(0);
        await down.restartKafka();
      } else resume(down);
      await sleep(500 + Math.random() * 4_000);
    }
  },
  [200],
);

fault(
  'a spool of which the sources hold their parts while Kafka is unavailable',
  async ({ down }) => {
    pause(down);
    await sleep(downMs / 2);
    // It still takes what other sources send.
    expect(await down.gateway.isReady()).toBe(true);
    resume(down);
    await down.gateway.untilDrained(drainMs);
    expect(await down.gateway.isReady()).toBe(true);
  },
  [200, 503],
  { SPOOL_MAX_BYTES: String(2 * 1024 * 1024) },
);

fault(
  'the gateway killed with a full spool, and again while the spool drains',
  async ({ down }) => {
    pause(down);
    await sleep(downMs / 2);
    resume(down);
    for (let kills = 0; kills < 5; kills++) {
      await down.gateway.kill();
      await down.gateway.restart();
      await sleep(Math.random() * 1_000);
    }
  },
  [0, 200],
);
