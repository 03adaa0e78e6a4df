import { trackMessage } from '../samples.js';

/** The nth message as a client of Segment sends it: with an id of its own and what it says of itself. */
export function segmentCall(n: number): object {
  const { context, ...message } = trackMessage(n);
  return {
    type: 'track',
    messageId: `node-next-1750000000000-${n}`,
    ...message,
    context: { ...context, library: { name: '@segment/analytics-node', version: '3.1.0' } },
    integrations: {},
  };
}

export const segmentBatch = (n: number, size: number): object => ({
  batch: Array.from({ length: size }, (_, i) => segmentCall(n * size + i)),
  sentAt: new Date(1_750_000_000_000 + n).toISOString(),
});
