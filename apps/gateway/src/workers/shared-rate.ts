import cluster from 'node:cluster';
import { type RateLimit } from '../limits/rate-limit.js';
import { toPrimary } from './answer-primary.js';
import { isFleetMessage } from './messages.js';

const sendMs = 100;

/**
 * Shares a rate among all workers: a tenth of a second later, each also counts the requests that the others took.
 * Requests that exceed the rate in the meantime lengthen later waits. Does nothing in a gateway of one process.
 */
export function shareRate(name: string, limit: RateLimit): void {
  if (!cluster.isWorker) return;
  const unsent = new Map<string, number>();
  limit.onTaken = (source) => unsent.set(source, (unsent.get(source) ?? 0) + 1);
  setInterval(() => {
    if (unsent.size === 0) return;
    toPrimary({ kind: 'taken', limit: name, requests: [...unsent] });
    unsent.clear();
  }, sendMs).unref();
  process.on('message', (message) => {
    if (!isFleetMessage(message) || message.kind !== 'taken' || message.limit !== name) return;
    for (const [source, count] of message.requests) limit.takenElsewhere(source, count);
  });
}
