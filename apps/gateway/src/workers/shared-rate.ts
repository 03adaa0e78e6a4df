import cluster from 'node:cluster';
import { type RateLimit } from '../limits/rate-limit.js';
import { tellPrimary } from './answer-primary.js';
import { isFleetMessage } from './messages.js';

const tellMs = 100;

/**
 * Shares a rate among all workers: a tenth of a second later, each also counts the requests that the others took.
 * Requests that exceed the rate in the meantime lengthen later waits. Does nothing in a gateway of one process.
 */
export function shareRate(name: string, limit: RateLimit): void {
  if (!cluster.isWorker) return;
  const untold = new Map<string, number>();
  limit.onTaken = (source) => untold.set(source, (untold.get(source) ?? 0) + 1);
  setInterval(() => {
    if (untold.size === 0) return;
    tellPrimary({ kind: 'taken', limit: name, requests: [...untold] });
    untold.clear();
  }, tellMs).unref();
  process.on('message', (message) => {
    if (!isFleetMessage(message) || message.kind !== 'taken' || message.limit !== name) return;
    for (const [source, count] of message.requests) limit.takenElsewhere(source, count);
  });
}
