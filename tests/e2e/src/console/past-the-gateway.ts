import { randomUUID } from 'node:crypto';
import { header, trackTopic } from '@sluice/contracts';
import { createKafka, Sender } from '@sluice/kafka';
import { type Local } from '@sluice/testing';

interface Message {
  key: string;
  value: string;
  requestId?: string;
  /** The contract that the message names; by default that of track messages. */
  contract?: string;
  headers?: Record<string, string>;
}

/** Sends messages to the topic of track messages directly, even those that a gateway would refuse. */
export async function sendPastGateway({ kafka }: Local, messages: readonly Message[]): Promise<void> {
  const sender = new Sender(createKafka({ KAFKA_BROKERS: kafka.brokers }, 'test'), [trackTopic.name]);
  await sender.start();
  await sender.send(
    messages.map(({ key, value, requestId, contract = trackTopic.contract, headers }) => ({
      topic: trackTopic.name,
      key,
      value,
      headers: {
        [header.contract]: contract,
        ...headers,
        ...(requestId !== undefined && { [header.requestId]: requestId }),
      },
    })),
  );
  await sender.stop();
}

/** A request id such as a gateway makes now. */
export function aRequestId(): string {
  const hex = Date.now().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}
