import { createHash, randomUUID } from 'node:crypto';
import { identifyTopic, trackTopic } from '@sluice/contracts';
import { type LoadStream, StreamLoad } from '../load/stream-load.js';

export const shardSource = 'ShardSource1';

/** A number from 0 to 2^32 - 1 that a number of a message and a word give. */
const draw = (n: number, word: string): number => createHash('md5').update(`${n} ${word}`).digest().readUInt32LE(0);
const makeId = (n: number, kind: number): string => `00000000-0000-7000-800${kind}-${n.toString(16).padStart(12, '0')}`;
const makeUser = (n: number): string => `user-${draw(n, 'user') % 500}`;

const makeColumns = (messageId: string, time: number) => {
  const now = new Date(time).toISOString();
  return { source_id: shardSource, request_id: randomUUID(), received_at: now, message_id: messageId, timestamp: now };
};

const readKey: LoadStream['readKey'] = ({ user_id, anonymous_id }) =>
  `${shardSource}:${String(user_id ?? anonymous_id)}`;

/** Events of 500 persons. */
export const shardEvents: LoadStream = {
  topic: trackTopic,
  rowsPerSecond: 800,
  readKey,
  makeId: (n) => makeId(n, 0),
  makeRow: (n, time) => ({
    ...makeColumns(makeId(n, 0), time),
    // A third precede the sign-in: an identify, perhaps on another shard's partition, assigns them to the person.
    ...(draw(n, 'sign-in') % 3 === 0 ? { anonymous_id: `device-of-${makeUser(n)}` } : { user_id: makeUser(n) }),
    event: draw(n, 'event') % 2 === 0 ? 'product_viewed' : 'order_completed',
    properties: { product_id: `p-${draw(n, 'product') % 20}`, price: 4.5 },
  }),
};

/** Identifies of the same persons. */
export const shardIdentifies: LoadStream = {
  topic: identifyTopic,
  rowsPerSecond: 200,
  hasOwnTimes: true,
  readKey,
  makeId: (n) => makeId(n, 1),
  makeRow: (n, time) => ({
    ...makeColumns(makeId(n, 1), time),
    ...{ user_id: makeUser(n), anonymous_id: `device-of-${makeUser(n)}` },
    traits: { plan: draw(n, 'plan') % 2 === 0 ? 'free' : 'pro' },
  }),
};

/** Load of 1,000 messages a second, a fifth of them identifies. */
export const createShardLoad = (brokers: readonly string[]): StreamLoad =>
  new StreamLoad(brokers, [shardEvents, shardIdentifies]);
