import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKafka, RecordSnapshot, writeCompacted } from '@sluice/kafka';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { parsePlan } from '../plan/parse-plan.js';
import { PlanReader } from './reader.js';
import { plansTopic } from './records.js';
import { ensurePlansTopic, preparePlanImport, PlanWriter } from './writer.js';

const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
const kafka = createKafka(config, 'test');
let unreadable = 0;
let folder: string;
let gateway: PlanReader;
const operator = new PlanReader(kafka);
const writer = new PlanWriter(kafka, operator.registry);
const source = 'AbCdEf123456';
const plan = parsePlan({
  version: 1,
  sources: [source],
  events: { order: { properties: { id: { type: 'string' } } } },
});

beforeAll(async () => {
  await ensurePlansTopic(kafka, config);
  folder = await mkdtemp(join(tmpdir(), 'sluice-plans-'));
  gateway = new PlanReader(kafka, { snapshot: new RecordSnapshot(folder, 'plans'), onUnreadable: () => unreadable++ });
  await Promise.all([gateway.follow(), operator.start()]);
});
afterAll(async () => {
  await Promise.all([gateway.stop(), operator.stop()]);
  await rm(folder, { recursive: true });
});

const judged = (reader: PlanReader) => reader.registry.live(source)?.judgeEvent('order', { id: 5 });

it('shows an activated plan to every reader within two seconds', async () => {
  await writer.import(preparePlanImport(operator.registry, plan));
  await writer.activate(source, { versions: [1], mode: 'drop' });
  const start = performance.now();
  await eventually(() =>
    expect(judged(gateway)).toEqual({ planVersion: 1, violations: ['wrong_type:id'], mode: 'drop' }),
  );
  expect(performance.now() - start).toBeLessThan(2_000);
});

it('keeps its plans when a record cannot be read', async () => {
  await writeCompacted(kafka, plansTopic, { key: source, value: Buffer.from('{"versions":[1],"mode":"block"}') });
  await eventually(() => expect(unreadable).toBe(1));
  expect(judged(gateway)?.mode).toBe('drop');
  await writer.activate(source, { versions: [1], mode: 'observe' });
  await eventually(() => expect(judged(gateway)?.mode).toBe('observe'));
});

it('judges from the snapshot while Kafka is unreachable', async () => {
  await gateway.stop();
  const nowhere = new PlanReader(createKafka({ KAFKA_BROKERS: ['127.0.0.1:1'] }, 'test'), {
    snapshot: new RecordSnapshot(folder, 'plans'),
  });
  await nowhere.follow();
  expect(judged(nowhere)).toEqual({ planVersion: 1, violations: ['wrong_type:id'], mode: 'observe' });
  await nowhere.stop();
});

it('judges no more after a deactivation, and keeps the plan', async () => {
  await writer.deactivate(source);
  const late = new PlanReader(kafka);
  await late.start();
  expect(late.registry.live(source)).toBeUndefined();
  expect(late.registry.listPlans(source)).toEqual([plan]);
  await late.stop();
});
