import cluster from 'node:cluster';
import { type RateLimit } from '../http/rate-limit.js';
import { tellPrimary } from './answer-primary.js';
import { isFleetMessage } from './messages.js';

const tellMs = 100;

/**
 * Makes a rate one of all workers together: each counts also what the others took, a tenth of a second later. What was
 * taken too much meanwhile is waited for afterwards. Does nothing in a gateway of one process.
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
