import { eventually } from '@sluice/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKafka, RecordSnapshot } from '@sluice/kafka';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { SourceReader } from './reader.js';
import { ensureSourcesTopic, SourceError, SourceWriter } from './writer.js';

const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
const kafka = createKafka(config, 'test');
/** A gateway follows; an operator reads and writes. */
const gateway = new SourceReader(kafka);
const operator = new SourceReader(kafka);
const writer = new SourceWriter(kafka, operator.registry);
beforeAll(async () => {
  await ensureSourcesTopic(kafka, config);
  await Promise.all([gateway.start(), operator.start()]);
});
afterAll(async () => {
  await Promise.all([gateway.stop(), operator.stop()]);
});

it('is complete after its start, even when there are no sources yet', () => expect(gateway.isComplete).toBe(true));

it('shows a new source, a revoked key and a disabled source to every reader', async () => {
  const { source, key, apiKey } = await writer.create({ name: 'Shop', type: 'ios-sdk' });
  const id = source.sourceIdentifier;
  expect(id).toMatch(/^[A-Za-z0-9]{12}$/);
  await eventually(() => expect(gateway.registry.findEnabled(id)).toEqual(source));
  expect(gateway.registry.isValidKey(id, apiKey)).toBe(true);

  const rotated = await writer.rotateKey(id);
  await eventually(() => expect(gateway.registry.isValidKey(id, rotated.apiKey)).toBe(true));
  expect(gateway.registry.isValidKey(id, apiKey)).toBe(true);
  await expect(writer.rotateKey(id)).rejects.toThrow(SourceError);

  await writer.revokeKey(id, key.keyId);
  await eventually(() => expect(gateway.registry.isValidKey(id, apiKey)).toBe(false));
  expect(gateway.registry.isValidKey(id, rotated.apiKey)).toBe(true);

  await writer.setStatus(id, 'disabled');
  await eventually(() => expect(gateway.registry.findEnabled(id)).toBeUndefined());
});

it('shows a late reader all sources, and never a secret', async () => {
  const { source, apiKey } = await writer.create({ name: 'Late', type: 'web-sdk' });
  const late = new SourceReader(kafka);
  await late.start();

  expect(late.registry.list().map(({ sourceIdentifier }) => sourceIdentifier)).toContain(source.sourceIdentifier);
  expect(late.registry.isValidKey(source.sourceIdentifier, apiKey)).toBe(true);
  expect(JSON.stringify(late.registry.listKeys(source.sourceIdentifier))).not.toContain(apiKey);
  await late.stop();
});

it('starts from a snapshot although one of its records cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-sources-'));
  const snapshot = new RecordSnapshot(folder, 'sources');
  const [record] = gateway.registry.records();
  if (!record) throw new Error('no source was made');
  await snapshot.write([{ key: 'odd', value: Buffer.from('{}') }, ...gateway.registry.records()]);
  const nowhere = new SourceReader(createKafka({ KAFKA_BROKERS: ['127.0.0.1:1'] }, 'test'), snapshot);
  await nowhere.follow();
  expect(nowhere.origin).toBe('snapshot');
  expect(nowhere.registry.list()).toEqual(gateway.registry.list());
  await nowhere.stop();
  await rm(folder, { recursive: true });
});
