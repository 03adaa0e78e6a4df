import { header, trackTopic } from '@sluice/contracts';
import { createKafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';
import { finishedRow } from './samples.js';
import { type BenchServers } from './servers.js';

const perSend = 2_000;
const sendsAtOnce = 10;

export interface PreloadOptions {
  /** Number of the first row, 0 by default. */
  readonly first?: number;
  /** Marks the messages as possible repeats. */
  readonly mayRepeat?: boolean;
  /** Makes message ids; by default they are derived from the number of the row. */
  readonly ids?: () => string;
}

/** Publishes finished rows to the topic of track messages, spread over all partitions. */
export async function preload(
  { brokers }: BenchServers,
  rows: number,
  receivedAt: string,
  { first = 0, mayRepeat = false, ids }: PreloadOptions = {},
): Promise<void> {
  const publisher = new Publisher(new Sender(createKafka({ KAFKA_BROKERS: brokers }, 'bench'), [trackTopic.name]));
  await publisher.start();
  const headers = { [header.contract]: trackTopic.contract, ...(mayRepeat && { [header.possibleRepeat]: '1' }) };
  const makeMessage = (n: number): OutgoingMessage => {
    const row = { ...finishedRow(n, receivedAt), ...(ids && { message_id: ids() }) };
    return {
      topic: trackTopic.name,
      key: `${row.source_id}:${row.user_id ?? ''}`,
      value: JSON.stringify(row),
      headers,
    };
  };
  let next = first;
  const end = first + rows;
  const send = async (): Promise<void> => {
    while (next < end) {
      const from = next;
      next += perSend;
      const size = Math.min(perSend, end - from);
      await publisher.publish(Array.from({ length: size }, (_, i) => makeMessage(from + i)));
    }
  };
  try {
    await Promise.all(Array.from({ length: sendsAtOnce }, send));
  } finally {
    await publisher.stop();
  }
}
