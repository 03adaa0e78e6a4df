import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKafka, RecordSnapshot } from '@sluice/kafka';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { PrivacyKey } from './privacy-key.js';
import { SuppressionReader } from './reader.js';
import { ensureSuppressionsTopic, type Subject, SuppressionWriter } from './writer.js';

// An installation of its own: processes of other specs do not have the keys of these records, and would not begin.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `suppressions-${process.pid}-`;
});

const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
const kafka = createKafka(config, 'test');
const key = new PrivacyKey('a secret of the tests, long enough');
const source = 'AbCdEf123456';
const user = (id: string): Subject => ({ source, kind: 'user', id });
const operator = new SuppressionReader(kafka, key);
const writer = new SuppressionWriter(kafka, operator.registry, key);
let folder: string;
let gateway: SuppressionReader;
const drops = (id: string, at = Date.now()): boolean => gateway.registry.drops(source, { userId: id }, at);

beforeAll(async () => {
  await ensureSuppressionsTopic(kafka, config);
  folder = await mkdtemp(join(tmpdir(), 'sluice-suppressions-'));
  gateway = new SuppressionReader(kafka, key, new RecordSnapshot(folder, 'suppressions'));
  await Promise.all([gateway.follow(), operator.start()]);
});
afterAll(async () => {
  await Promise.all([gateway.stop(), operator.stop(), writer.stop()]);
  await rm(folder, { recursive: true });
});

it('is in force at every reader within two seconds, which its offset shows', async () => {
  const start = performance.now();
  const { keys, offset } = await writer.suppress([user('u-1'), user('u-2')], { mode: 'suppress', request: 'r-1' });
  await eventually(() => expect(gateway.offset).toBe(offset));
  expect(performance.now() - start).toBeLessThan(2_000);
  expect([drops('u-1'), drops('u-2'), drops('u-3')]).toEqual([true, true, false]);
  expect(keys).toEqual([`${source}:user:${key.hash('user', 'u-1')}`, `${source}:user:${key.hash('user', 'u-2')}`]);
  await gateway.assertUpToDate();
});

it('is in force from the snapshot while Kafka is unreachable', async () => {
  await gateway.stop();
  const nowhere = createKafka({ KAFKA_BROKERS: ['127.0.0.1:1'] }, 'test');
  gateway = new SuppressionReader(nowhere, key, new RecordSnapshot(folder, 'suppressions'));
  await gateway.follow();
  expect([drops('u-1'), drops('u-3')]).toEqual([true, false]);
  expect(gateway.offset).toBe(-1n);
  await gateway.stop();
  gateway = new SuppressionReader(kafka, key, new RecordSnapshot(folder, 'suppressions'));
  await gateway.follow();
});

it('ends when it is taken back', async () => {
  const { offset } = await writer.unsuppress([user('u-2'), user('never suppressed')]);
  await eventually(() => expect(gateway.offset).toBe(offset));
  expect([drops('u-1'), drops('u-2')]).toEqual([true, false]);
});

it('takes a person as new after an erasure, and drops earlier messages for ever', async () => {
  const { keys } = await writer.suppress([user('u-3'), user('u-1')], { mode: 'erase', request: 'e-1' });
  await writer.suppress([user('u-4')], { mode: 'suppress', request: 'e-1', wasErased: true });
  const until = Date.now();
  const lifted = await writer.liftAt(keys, until, 'e-1');
  expect(await writer.liftAt(keys, until + 5, 'another')).toEqual({ keys: [], offset: -1n });
  const { offset } = await writer.unsuppress([user('u-4'), user('u-3')]);
  await eventually(() => expect(gateway.offset).toBe(offset));
  // u-1 was suppressed apart from the erasure, and stays so.
  expect(lifted.keys).toEqual([keys[0]]);
  expect([drops('u-3', until - 1), drops('u-3', until), drops('u-1', until)]).toEqual([true, false, true]);
  expect([drops('u-4', until - 1), drops('u-4', Date.now() + 5)]).toEqual([true, false]);
});

it('does not begin without the key of the records that are there, and says so', async () => {
  const others = [undefined, new PrivacyKey('another secret of the tests, long enough')];
  for (const other of others) {
    const stranger = new SuppressionReader(kafka, other);
    await stranger.start();
    expect(stranger.refusal).toContain('PRIVACY_KEY');
    await expect(stranger.assertUpToDate()).rejects.toThrow('PRIVACY_KEY');
    expect(stranger.registry.unusableRecords).toBeGreaterThan(0);
    await stranger.stop();
  }
});

it('goes on with what it can use when a record of another key comes later', async () => {
  const other = new PrivacyKey('another secret of the tests, long enough');
  const stranger = new SuppressionWriter(kafka, operator.registry, other);
  const { offset, keys } = await stranger.suppress([user('u-5')], { mode: 'suppress', request: 'r-2' });
  await eventually(() => expect(gateway.offset).toBe(offset));
  expect(gateway.refusal).toBeUndefined();
  expect([gateway.registry.unusableRecords, drops('u-1'), drops('u-5')]).toEqual([1, true, false]);
  expect(keys).toHaveLength(1);
  await stranger.stop();
});
