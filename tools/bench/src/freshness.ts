import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient } from '@clickhouse/client';
import { startBenchApp, startBenchGateway } from './apps.js';
import { openClickHouse, selectRows } from './events-table.js';
import { type BenchOptions } from './options.js';
import { progress } from './progress.js';
import { type BenchReport } from './report.js';
import { trackMessage } from './samples.js';
import { createSender, type BenchSource } from './source.js';
import { type BenchServers } from './servers.js';
import { quantile } from './statistics.js';

const group = 'freshness: from the 200 until a SELECT shows the row';
const warmUpEvents = 50;
const pollMs = 10;
const timeoutMs = 15_000;

/** Times (performance.now()) at which each person's event was answered and first seen in the table. */
interface Journey {
  readonly answered: Map<string, number>;
  readonly seenAt: Map<string, number>;
}

/**
 * Measures how long events of a light, steady stream take to become visible. Both times are taken by a client: when the
 * answer arrives, and when the first SELECT with the row arrives. `stored_at` would be too early, because it is set
 * before the INSERT ends; the measured time is too late by one poll at most.
 */
export async function measureFreshness(servers: BenchServers, { load, profiles }: BenchOptions): Promise<BenchReport> {
  const sender = await createSender(servers);
  const gateway = await startBenchGateway(servers, profiles);
  await startBenchApp(servers, 'tracking', { profiles });
  const client = openClickHouse(servers);
  try {
    progress(`freshness: ${load.events} events, ${load.eventsPerSecond} per second`);
    const url = `${gateway.url}${sender.path}/track`;
    // The first events wait for the group to form and for code to warm up, so they are not measured.
    await follow(client, url, sender, { events: warmUpEvents, perSecond: load.eventsPerSecond, from: 0 });
    const order = { events: load.events, perSecond: load.eventsPerSecond, from: warmUpEvents };
    const { answered, seenAt } = await follow(client, url, sender, order);

    const delays = [...seenAt].map(([person, seenTime]) => seenTime - (answered.get(person) ?? NaN));
    const figure = (measure: string, q: number) => ({ group, measure, unit: 'ms', sluice: quantile(delays, q) });
    const missing = load.events - seenAt.size;
    return {
      figures: [figure('p50', 0.5), figure('p99', 0.99), figure('max', 1)],
      failures: missing > 0 ? [`freshness: ${missing} of ${load.events} events were acknowledged and never seen`] : [],
    };
  } finally {
    await client.close();
  }
}

interface Stream {
  readonly events: number;
  readonly perSecond: number;
  /** Number of the first event. */
  readonly from: number;
}

async function follow(client: ClickHouseClient, url: string, sender: BenchSource, stream: Stream): Promise<Journey> {
  const answered = new Map<string, number>();
  const sent = send(url, sender, stream, answered);
  const [seenAt] = await Promise.all([watch(client, answered, stream, sent), sent]);
  return { answered, seenAt };
}

async function send(
  url: string,
  { headers }: BenchSource,
  stream: Stream,
  answered: Map<string, number>,
): Promise<void> {
  const startedAt = performance.now();
  const answers: Promise<void>[] = [];
  for (let i = 0; i < stream.events; i++) {
    await sleep(Math.max(0, startedAt + (i * 1000) / stream.perSecond - performance.now()));
    const message = trackMessage(stream.from + i);
    answers.push(
      fetch(url, { method: 'POST', headers, body: JSON.stringify(message) }).then(async (response) => {
        if (response.status !== 200)
          throw new Error(`freshness: answered ${response.status}: ${await response.text()}`);
        answered.set(message.userId ?? '', performance.now());
        await response.arrayBuffer();
      }),
    );
  }
  await Promise.all(answers);
}

/** Polls the rows of the last seconds until all events are seen or the deadline passes. */
async function watch(
  client: ClickHouseClient,
  answered: ReadonlyMap<string, number>,
  { events }: Stream,
  sent: Promise<void>,
): Promise<Map<string, number>> {
  const seenAt = new Map<string, number>();
  let deadline = Infinity;
  void sent.finally(() => {
    deadline = performance.now() + timeoutMs;
  });
  while (seenAt.size < events && performance.now() < deadline) {
    const rows = await selectRows<{ user_id: string }>(
      client,
      'SELECT user_id FROM events WHERE stored_at > now() - 3',
    );
    const time = performance.now();
    for (const { user_id } of rows) if (answered.has(user_id) && !seenAt.has(user_id)) seenAt.set(user_id, time);
    await sleep(pollMs);
  }
  return seenAt;
}
