import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { header, refusedTopic } from '@sluice/contracts';
import { type Block, BlockConsumer, createKafka, ensureTopics, type OutgoingMessage, Sender } from '@sluice/kafka';
import { Health } from '@sluice/service';
import { SourceReader } from '@sluice/sources';
import { afterEach, expect, inject, it } from 'vitest';
import { RefusedLog } from './refused-log.js';

const config = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: 3,
  TOPIC_REPLICATION_FACTOR: 1,
  BLOCK_MAX_ROWS: 10_000,
  BLOCK_MAX_BYTES: 1_000_000,
  BLOCK_MAX_AGE_MS: 50,
  BLOCK_BUFFER_BYTES: 10_000_000,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
};
const kafka = createKafka(config, 'test');
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Sends, but fails at first as if the acknowledgement were lost. */
class DeafSender extends Sender {
  deafFor = 2;

  override async send(messages: readonly OutgoingMessage[]): Promise<void> {
    await super.send(messages);
    if (this.deafFor-- > 0) throw new Error('no acknowledgement');
  }
}

/** Takes longer than the time between two reports, so that counts are made while samples are being sent. */
class SlowSender extends Sender {
  override async send(messages: readonly OutgoingMessage[]): Promise<void> {
    await setTimeout(700);
    await super.send(messages);
  }
}

interface Message {
  id: string;
  partition: number;
  kind: string;
  counted: string;
  requests: number;
  isMarked: boolean;
}

/** Messages about a source, in the order of their partition. */
async function messagesOf(source: string): Promise<Message[]> {
  const found: Message[] = [];
  const consumer = new BlockConsumer(config, `group-${source}`, new Health());
  ends.push(() => consumer.close());
  const take = ({ messages, partition }: Block): Promise<[]> => {
    for (const { value, headers } of messages) {
      const row = JSON.parse(String(value)) as Message & { source_id: string; message_id: string };
      const isMarked = headers?.[header.possibleRepeat] !== undefined;
      if (row.source_id === source) found.push({ ...row, id: row.message_id, partition, isMarked });
    }
    return Promise.resolve([]);
  };
  consumer.addHandler(refusedTopic.name, take, true);
  await consumer.listen(() => undefined);
  return found;
}

it('sends a count again as it was, marked, when the acknowledgement was lost', async () => {
  await ensureTopics(kafka, config, [refusedTopic]);
  const sourceIdentifier = randomUUID();
  const sender = new DeafSender(kafka, [refusedTopic.name]);
  const [suppressed, rules] = [{ isAnyoneNamedIn: () => false }, { of: () => undefined }];
  const log = new RefusedLog(sender, new SourceReader(kafka), suppressed, rules);
  await log.start();
  const dropped = [{ field: 'properties.x', message: 'was dropped' }];
  const shape = { sourceIdentifier, topic: 'tracking.track.v1', dropped, rejected: [] };
  for (let n = 0; n < 3; n++) log.partly({ ...shape, requestId: randomUUID() });
  const found = await messagesOf(sourceIdentifier);
  await eventually(() => expect(sender.deafFor).toBeLessThan(0));
  log.partly({ ...shape, requestId: randomUUID() });
  await log.stop();

  // Counts are sent apart from samples, and may come later.
  const copies = await eventually(() => {
    expect(found.filter(({ kind }) => kind === 'dropped')).toHaveLength(4);
    const byId = Map.groupBy(
      found.filter(({ kind }) => kind === 'count'),
      ({ id }) => id,
    );
    expect([...byId.values()].reduce((sum, [first]) => sum + (first?.requests ?? 0), 0)).toBe(4);
    return byId;
  });
  const isRepeated = [...copies.values()].some(({ length }) => length > 1);
  expect(isRepeated).toBe(true);
  for (const [first, ...repeats] of copies.values()) {
    expect(first?.isMarked).toBe(false);
    for (const repeat of repeats) expect(repeat).toEqual({ ...first, isMarked: true });
  }
});

it('all counts arrive, also those made while samples are sent and those of the last seconds before a stop', async () => {
  await ensureTopics(kafka, config, [refusedTopic]);
  const sourceIdentifier = randomUUID();
  const sender = new SlowSender(kafka, [refusedTopic.name]);
  const [suppressed, rules] = [{ isAnyoneNamedIn: () => false }, { of: () => undefined }];
  const log = new RefusedLog(sender, new SourceReader(kafka), suppressed, rules);
  const shape = { sourceIdentifier, topic: 'tracking.track.v1', rejected: [] };
  log.accepted(sourceIdentifier, 1);
  await log.start();
  const messages = await messagesOf(sourceIdentifier);
  const rounds = 60;
  for (let round = 0; round < rounds; round++) {
    log.accepted(sourceIdentifier, 5);
    log.partly({
      ...shape,
      requestId: randomUUID(),
      dropped: [{ field: `properties.${round}`, message: 'was dropped' }],
    });
    await setTimeout(100);
  }
  await log.stop();

  await eventually(() => {
    const sum = (counted: string): number =>
      messages.filter((message) => message.counted === counted).reduce((all, { requests }) => all + requests, 0);
    expect([sum('accepted'), sum('dropped')]).toEqual([5 * rounds + 1, rounds]);
  });
});
