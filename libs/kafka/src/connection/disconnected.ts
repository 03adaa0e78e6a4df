import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumer, type Producer } from '@sluice/kafkajs';

const timeoutMs = 2_000;

/** Disconnects, or gives up waiting for it: kafkajs waits for the answers of a connection that it closes, without end (measured). */
export async function disconnected(client: Producer | Consumer): Promise<void> {
  await Promise.race([client.disconnect(), sleep(timeoutMs, undefined, { ref: false })]);
}
