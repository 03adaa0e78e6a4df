import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { header } from '@sluice/contracts';
import { type Block, BlockConsumer, createKafka, ensureTopics, type OutgoingMessage, Sender } from '@sluice/kafka';
import { Health } from '@sluice/service';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { Outbox } from './outbox.js';
import { Spool } from './spool.js';

// These tests run the built thread of the spool (npm run build).

const config = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: 3,
  TOPIC_REPLICATION_FACTOR: 1,
  BLOCK_MAX_ROWS: 10_000,
  BLOCK_MAX_BYTES: 16 * 1024 * 1024,
  BLOCK_MAX_AGE_MS: 100,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
  BLOCK_BUFFER_BYTES: 64 * 1024 * 1024,
};
const nowhere = { KAFKA_BROKERS: ['127.0.0.1:1'] };
const tooLarge = 'x'.repeat(3 * 1024 * 1024);

let topic: string;
let folder: string;
let consumer: BlockConsumer | undefined;
let outbox: Outbox | undefined;

beforeEach(async () => {
  topic = `test.${randomUUID()}`;
  folder = await mkdtemp(join(tmpdir(), 'sluice-outbox-'));
  await ensureTopics(createKafka(config, 'test'), config, [{ name: topic, contract: 'test.v1' }]);
});
afterEach(async () => {
  await outbox?.stop(0);
  await consumer?.close();
  consumer = undefined;
  await rm(folder, { recursive: true });
});

function anOutbox(kafka: { KAFKA_BROKERS: string[] }): Outbox {
  const limits = { SPOOL_MAX_BYTES: 64 * 1024 * 1024, SPOOL_MAX_AGE_MS: 60_000 };
  const sender = new Sender(createKafka(kafka, 'test'), [topic]);
  outbox = new Outbox(sender, new Spool({ GATEWAY_DATA_DIR: folder, ...limits }));
  return outbox;
}

const aMessage = (key: string): OutgoingMessage => ({
  topic,
  key,
  value: '',
  headers: { [header.contract]: 'test.v1' },
});
const messages = (...values: string[]): OutgoingMessage[] => values.map((value) => ({ ...aMessage('one key'), value }));

interface Received {
  key: string;
  value: string;
  isRepeat: boolean;
}

/** Reads the messages of the topic, in order. */
async function consume(): Promise<Received[]> {
  const received: Received[] = [];
  consumer = new BlockConsumer(config, `group-${topic}`, new Health());
  const take = (block: Block) => {
    for (const { key, value, headers } of block.messages) {
      received.push({
        key: String(key),
        value: String(value),
        isRepeat: headers?.[header.possibleRepeat] !== undefined,
      });
    }
    return Promise.resolve([]);
  };
  consumer.addHandler(topic, take, true);
  await consumer.listen(() => undefined);
  return received;
}

it('keeps messages on disk without Kafka; the next process delivers them in order, before new ones', async () => {
  const without = anOutbox(nowhere);
  await without.start();
  for (const value of ['1', '2', '3']) await without.publish(messages(value));
  expect(without.state).toMatchObject({ breaker: 'open', rows: 3, unavailableReason: undefined });
  await without.stop(5_000);

  const withKafka = anOutbox(config);
  await withKafka.start();
  await withKafka.publish(messages('4'));
  await eventually(() => expect(withKafka.state).toMatchObject({ breaker: 'closed', rows: 0 }));
  await withKafka.publish(messages('5'));

  const received = await consume();
  await eventually(() => expect(received.map(({ value }) => value)).toEqual(['1', '2', '3', '4', '5']));
  expect(received.some(({ isRepeat }) => isRepeat)).toBe(false);
});

it.each([
  ['empties the spool during a stop, within the given time', 20_000, 0],
  ['leaves the spool to the next process when there is no time', 0, 3],
])('%s', async (_, withinMs, left) => {
  const without = anOutbox(nowhere);
  await without.start();
  await without.publish(messages('1', '2', '3'));
  await without.stop(0);

  const stopped = anOutbox(config);
  await stopped.start();
  await stopped.stop(withinMs);

  const next = anOutbox(nowhere);
  await next.start();
  expect(next.state.rows).toBe(left);
});

it('moves a message that Kafka refuses to the refused file, and delivers the others', async () => {
  const subject = anOutbox(config);
  await subject.start();
  expect(subject.state.breaker).toBe('closed');
  await subject.publish(messages('1', '2', tooLarge, '3', '4'));
  await eventually(() => expect(subject.state).toMatchObject({ breaker: 'closed', rows: 0, refused: 1 }));

  const received = await consume();
  await eventually(() =>
    expect(received).toEqual(['1', '2', '3', '4'].map((value) => ({ key: 'one key', value, isRepeat: false }))),
  );
  const [name = ''] = await readdir(join(folder, 'refused'));
  const line = JSON.parse(await readFile(join(folder, 'refused', name), 'utf8')) as Record<string, unknown>;
  expect(line).toMatchObject({ error: 'MESSAGE_TOO_LARGE', topic, key: 'one key', value: tooLarge });
});

it('answers each of many simultaneous requests from the disk', async () => {
  const subject = anOutbox(nowhere);
  await subject.start();
  const requests = Array.from({ length: 3_000 }, (_, i) => subject.publish(messages(`${i}`)));
  await Promise.all(requests);
  expect(subject.state.rows).toBe(3_000);
});

it('returns to Kafka while clients send without a pause; no message is lost or out of order', async () => {
  const without = anOutbox(nowhere);
  await without.start();
  await without.publish(Array.from({ length: 5_000 }, () => ({ ...aMessage('before'), value: 'x'.repeat(500) })));
  await without.stop(5_000);

  const subject = anOutbox(config);
  await subject.start();
  expect(subject.state.breaker).toBe('open');
  let isSending = true;
  const client = async (key: string): Promise<string[]> => {
    const sent: string[] = [];
    while (isSending) {
      sent.push(`${sent.length}`);
      await subject.publish([{ ...aMessage(key), value: `${sent.length - 1}` }]);
    }
    return sent;
  };
  const clients = Array.from({ length: 50 }, (_, i) => client(`client ${i}`));
  try {
    await eventually(() => expect(subject.state.breaker).toBe('closed'));
    await sleep(300);
    expect(subject.state.breaker).toBe('closed');
  } finally {
    isSending = false;
  }
  const sent = await Promise.all(clients);

  const received = await consume();
  const of = (key: string) => received.filter((one) => one.key === key).map(({ value }) => value);
  await eventually(() => expect(sent.map((_, i) => of(`client ${i}`))).toEqual(sent));
  expect(received.filter(({ isRepeat }) => isRepeat)).toEqual([]);
});

it('does not write messages of other requests to the disk when Kafka refuses one', async () => {
  const subject = anOutbox(config);
  await subject.start();
  const others = Array.from({ length: 20 }, (_, i) => subject.publish(messages(`${i}`)));
  await Promise.all([...others, subject.publish(messages('20', tooLarge, '21'))]);
  expect(subject.state).toMatchObject({ breaker: 'closed', rows: 0, refused: 1 });

  const received = await consume();
  const all = Array.from({ length: 22 }, (_, i) => `${i}`);
  await eventually(() => expect(received.map(({ value }) => value)).toEqual(expect.arrayContaining(all)));
});

it('publishes a request that is larger than a send in order and without the disk', async () => {
  const subject = anOutbox(config);
  await subject.start();
  const values = Array.from({ length: 5 }, (_, i) => `${i}${'x'.repeat(900_000)}`);
  await subject.publish(messages(...values));
  expect(subject.state).toMatchObject({ breaker: 'closed', rows: 0, refused: 0 });

  const received = await consume();
  await eventually(() =>
    expect(received.map(({ value, isRepeat }) => [value[0], isRepeat])).toEqual(
      values.map((value) => [value[0], false]),
    ),
  );
});

it('delivers other topics while one is unknown, whose messages wait on the disk', async () => {
  const missing = `test.${randomUUID()}`;
  const limits = { SPOOL_MAX_BYTES: 64 * 1024 * 1024, SPOOL_MAX_AGE_MS: 60_000 };
  const sender = new Sender(createKafka(config, 'test'), [topic, missing]);
  outbox = new Outbox(sender, new Spool({ GATEWAY_DATA_DIR: folder, ...limits }));
  await outbox.start();
  await eventually(() => expect(outbox?.state.breaker).toBe('closed'));
  await outbox.publish(messages('1'));
  expect(outbox.state).toMatchObject({ breaker: 'closed', rows: 0 });
  await outbox.publish([{ ...aMessage('one key'), topic: missing, value: 'waits' }, ...messages('2')]);
  expect(outbox.state.breaker).toBe('open');
  await outbox.publish(messages('3'));

  const received = await consume();
  await eventually(() => expect(new Set(received.map(({ value }) => value))).toEqual(new Set(['1', '2', '3'])));
  await ensureTopics(createKafka(config, 'test'), config, [{ name: missing, contract: 'test.v1' }]);
  await eventually(() => expect(outbox?.state).toMatchObject({ breaker: 'closed', rows: 0, refused: 0 }));
});
