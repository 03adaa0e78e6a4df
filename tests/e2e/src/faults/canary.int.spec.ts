import { type CanaryState, makeSelectRows, readCanary } from '@sluice/operations';
import { eventually, signalGroup } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { KafkaDown } from './kafka-down.js';

// Runs the built services (npm run build) with a Kafka of its own. A probe is judged ten seconds after its call.

const judgedWithinMs = 60_000;

let down: KafkaDown;
let canary: () => Promise<CanaryState>;
beforeAll(async () => {
  const clickhouseUrl = inject('clickhouseUrl');
  down = await KafkaDown.start(clickhouseUrl, { CANARY_INTERVAL_MS: '200' }, { CANARY_SETTLED_MS: '1000' });
  const config = { CLICKHOUSE_URL: clickhouseUrl, CLICKHOUSE_DATABASE: down.ledger.database };
  const select = makeSelectRows({ ...config, CLICKHOUSE_USER: 'default', CLICKHOUSE_PASSWORD: '' });
  canary = () => readCanary(select);
}, 240_000);
afterAll(() => down.stop(), 60_000);

const accepted = () => down.gateway.metric('sluice_canary_probes_total{outcome="accepted"}');

/** Waits until more probes are judged. */
const untilJudged = (probes: number) =>
  eventually(async () => {
    const state = await canary();
    expect(state.probes).toBeGreaterThan(probes);
    return state;
  }, judgedWithinMs);

it('counts every probe once while Kafka is down, the gateway is killed and the consumer is killed', async () => {
  const before = await untilJudged(0);
  const sent: number[] = [];
  signalGroup(down.kafka.pid, 'SIGSTOP');
  await eventually(async () => {
    expect(await down.gateway.metric('sluice_spool_messages')).toBeGreaterThan(10);
  }, 30_000);
  sent.push(await accepted());
  await down.gateway.kill();
  signalGroup(down.kafka.pid, 'SIGCONT');
  await down.gateway.restart();
  await down.replaceTracking();
  await eventually(async () => {
    expect(await accepted()).toBeGreaterThan(50);
  }, judgedWithinMs);
  sent.push(await accepted());

  const counted = sent.reduce((sum, count) => sum + count, 0);
  const state = await untilJudged(counted);
  expect(state).toMatchObject({ lost: 0, doubled: 0, late: 0, unjudged: 0, faults: [] });
  // The kill left one probe without an answer at most; what was accepted after a count was read comes on top.
  expect(state.inDoubt - before.inDoubt).toBeLessThanOrEqual(1);
  const [rows] = await down.ledger.select<{ rows: number; numbers: number; names: number }>(
    'SELECT count() AS rows, uniqExact(series, number) AS numbers, uniqExact(series) AS names FROM canary_probes',
  );
  expect(rows?.rows).toBe(rows?.numbers);
  expect(rows?.names).toBe(1);
  const [events] = await down.ledger.select<{ rows: number }>('SELECT count() AS rows FROM events');
  expect(events?.rows).toBe(0);
}, 180_000);

it('reports a row that is deleted as lost, and one that is copied as doubled', async () => {
  const [newest] = await eventually(async () => {
    const rows = await down.ledger.select<{ number: string }>(
      `SELECT toString(max(number)) AS number FROM canary_probes WHERE stored_at > now64(3) - INTERVAL 2 SECOND HAVING count() > 0`,
    );
    expect(rows).toHaveLength(1);
    return rows;
  }, 30_000);
  const number = Number(newest?.number);
  const settings = 'SETTINGS mutations_sync = 2';
  await down.ledger.command(`ALTER TABLE canary_probes DELETE WHERE number = ${number} ${settings}`);
  await down.ledger.command(
    `INSERT INTO canary_probes (source_id, timestamp, message_id, properties, request_id, received_at)
     SELECT source_id, timestamp, message_id, properties, request_id, received_at FROM canary_probes WHERE number = ${number - 1}`,
  );

  const state = await eventually(async () => {
    const found = await canary();
    expect(found).toMatchObject({ lost: 1, doubled: 1 });
    return found;
  }, judgedWithinMs);
  expect(state.faults.map((fault) => [fault.kind, fault.number]).sort()).toEqual([
    ['doubled', number - 1],
    ['lost', number],
  ]);
}, 120_000);
