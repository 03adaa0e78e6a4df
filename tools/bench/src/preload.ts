import { header, trackTopic } from '@sluice/contracts';
import { createKafka, type OutgoingMessage, Publisher } from '@sluice/kafka';
import { finishedRow } from './samples.js';
import { type Servers } from './servers.js';

const perSend = 2_000;
const sendsAtOnce = 10;

/** Puts finished rows into the topic of track messages, over all partitions. */
export async function preload({ brokers }: Servers, rows: number, receivedAt: string): Promise<void> {
  const publisher = new Publisher(createKafka({ KAFKA_BROKERS: brokers }, 'bench'), [trackTopic.name]);
  await publisher.start();
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < rows) {
      const first = next;
      next += perSend;
      const size = Math.min(perSend, rows - first);
      await publisher.publish(Array.from({ length: size }, (_, i) => messageOf(first + i, receivedAt)));
    }
  };
  try {
    await Promise.all(Array.from({ length: sendsAtOnce }, send));
  } finally {
    await publisher.stop();
  }
}

const headers = { [header.contract]: trackTopic.contract };

function messageOf(n: number, receivedAt: string): OutgoingMessage {
  const row = finishedRow(n, receivedAt);
  return { topic: trackTopic.name, key: row.user_id ?? '', value: JSON.stringify(row), headers };
}
