import { setTimeout as sleep } from 'node:timers/promises';
import { createKafka } from '@sluice/kafka';
import { eventually, type ServerProcess } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { activate } from '../plans/active-plan.js';
import { startTracking } from './consumer-process.js';
import { GatewayServer } from './gateway-server.js';
import { makePlan, PlanLoad } from './plan-load.js';
import { TestBed } from './test-bed.js';

// Kills gateways and consumers while clients violate their plan, and compares the views with a ledger of the load.

const workers = 6;
const kills = Number(process.env['PLAN_KILLS'] ?? 12);

let bed: TestBed;
let gateway: GatewayServer;
let tracking: ServerProcess;
let load: PlanLoad;

beforeAll(async () => {
  bed = await TestBed.start();
  tracking = await startTracking(bed.options);
  gateway = await GatewayServer.start(bed.brokers, bed.options.folder);
  // A merge would hide a message that is kept twice.
  await bed.ledger.command('SYSTEM STOP MERGES refused_messages');
  const { sourceIdentifier: source } = gateway.target;
  await activate(createKafka({ KAFKA_BROKERS: bed.brokers }, 'faults'), {
    source,
    plan: makePlan(source),
    mode: 'refuse',
  });
  await eventually(async () => {
    const { url, apiKey } = gateway.target;
    const answer = await fetch(`${url}/api/tracker/sdk/${source}/track?validate=only`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ userId: 'u', event: 'misspelt' }),
    });
    expect(answer.status).toBe(400);
  });
  load = new PlanLoad(gateway.target);
}, 300_000);

afterAll(async () => {
  await gateway.stop();
  await tracking.stop();
  await bed.stop();
}, 120_000);

const viewRows = async (): Promise<Record<string, { events: number; refused: number }>> => {
  const rows = await bed.ledger.select<{ event: string; rule: string; path: string; events: string; refused: string }>(
    `SELECT event, rule, path, events, refused FROM plan_violations(
       source = '${gateway.target.sourceIdentifier}', from = now() - INTERVAL 1 DAY, to = now() + INTERVAL 1 DAY)`,
  );
  return Object.fromEntries(
    rows.map(({ event, rule, path, events, refused }) => [
      `${event} ${path === '' ? rule : `${rule}:${path}`}`,
      { events: Number(events), refused: Number(refused) },
    ]),
  );
};

interface Counts {
  rows: string;
  messages: string;
}
/** Numbers of raw rows of a table, without FINAL, and of their messages. */
const readCounts = async (table: string): Promise<{ rows: number; messages: number }> => {
  const [counts] = await bed.ledger.select<Counts>(
    `SELECT count() AS rows, uniqExact(message_id) AS messages FROM ${table}`,
  );
  return { rows: Number(counts?.rows), messages: Number(counts?.messages) };
};

async function killOne(round: number): Promise<void> {
  if (round % 2 === 0) {
    await gateway.kill();
    await gateway.restart();
    return;
  }
  await tracking.stop(0);
  const point = ['after-intent:2', 'after-insert:3', ''][round % 3] ?? '';
  if (point !== '') {
    const doomed = await startTracking(bed.options, point);
    await Promise.race([doomed.ended, sleep(20_000)]);
    await doomed.stop(0);
  }
  tracking = await startTracking(bed.options);
}

it('views and refused messages equal the ledger of the load when gateways and consumers are killed', async () => {
  load.start(workers);
  for (let round = 0; round < kills; round++) {
    await sleep(1_000 + Math.random() * 2_000);
    await killOne(round);
  }
  await sleep(1_000);
  await load.stop();
  await gateway.untilDrained(60_000);

  await eventually(async () => {
    expect((await readCounts('events')).messages).toBe(load.stored);
    expect((await readCounts('refused_messages')).messages).toBe(load.refused);
  }, 120_000);
  // Duplicates can be stored late.
  await sleep(3_000);
  const { stored, refused, repeated, ledger } = load;
  console.log(`plans: ${JSON.stringify({ kills, stored, refused, repeated, ledger })}`);
  expect(repeated).toBeGreaterThan(0);
  expect(await readCounts('events')).toEqual({ rows: stored, messages: stored });
  expect(await readCounts('refused_messages')).toEqual({ rows: refused, messages: refused });
  expect(await viewRows()).toEqual(ledger);
}, 600_000);
