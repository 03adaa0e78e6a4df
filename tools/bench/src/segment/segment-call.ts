import { type TrackMessage } from '@sluice/contracts';
import { batchOf, trackMessage } from '../samples.js';

/** The nth message with the client's library in its context: it becomes the same row as a single call of Segment. */
export function messageOfClient(n: number): TrackMessage {
  const { context, ...message } = trackMessage(n);
  return { ...message, context: { ...context, library: { name: '@segment/analytics-node', version: '3.1.0' } } };
}

/** The nth message as a client of Segment sends it. */
export const segmentCall = (n: number): object =>
  Object.assign({ type: 'track', messageId: `node-next-1750000000000-${n}`, integrations: {} }, messageOfClient(n));

const sentAt = (n: number): string => new Date(1_750_000_000_000 + n).toISOString();

export const segmentBatch = (n: number, size: number): object => ({
  batch: Array.from({ length: size }, (_, i) => segmentCall(n * size + i)),
  sentAt: sentAt(n),
});

/** Native messages that become the same rows as the nth batch of Segment, whose `sentAt` is part of each row. */
export const batchOfClient = (n: number, size: number): object =>
  batchOf((i) => {
    const { context, ...message } = messageOfClient(i);
    return { ...message, context: { ...context, sent_at: sentAt(n) } };
  })(n, size);
