import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumer, type Producer } from '@sluice/kafkajs';

const timeoutMs = 2_000;

/** Disconnects, waiting 2 s at most: kafkajs can wait for ever for answers on a connection it closes (measured). */
export async function disconnected(client: Producer | Consumer): Promise<void> {
  await Promise.race([client.disconnect(), sleep(timeoutMs, undefined, { ref: false })]);
}
