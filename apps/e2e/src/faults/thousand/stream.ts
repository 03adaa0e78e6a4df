import { randomUUID } from 'node:crypto';
import { generalEntityTopic, identifyTopic, interactionTopic, type Topic, trackTopic } from '@sluice/contracts';

/** Source of all counted rows. */
export const source = 'FaultSource1';
export type StreamName = 'track' | 'identify' | 'general' | 'interaction';

/** Messages of one topic. They are numbered, so that missing ones can be identified. */
export interface Stream {
  readonly name: StreamName;
  readonly topic: Topic;
  readonly group: string;
  readonly table: string;
  /** Table or view to count: rows of a table that only appends, or entities of a table that merges. */
  readonly counted: string;
  readonly idColumn: string;
  /** Time column that separates rows of the run from older ones, in a table ordered by time. */
  readonly timeColumn?: string;
  readonly rowsPerSecond: number;
  readonly idOf: (n: number) => string;
  /** The row of a number; every call gives the same row except for its request id. */
  readonly rowOf: (n: number, at: number) => Record<string, unknown>;
}

const digits = 12;
const messageId = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(digits, '0')}`;
const entityId = (n: number): string => `e-${String(n).padStart(digits, '0')}`;
const isoOf = (at: number): string => new Date(at).toISOString();
const origin = (at: number) => ({ source_id: source, request_id: randomUUID(), received_at: isoOf(at) });
const people = 1_000;

const trackStream: Stream = {
  name: 'track',
  topic: trackTopic,
  group: 'tracking',
  table: 'events',
  counted: 'events',
  idColumn: 'message_id',
  timeColumn: 'timestamp',
  rowsPerSecond: 250,
  idOf: messageId,
  rowOf: (n, at) => ({
    ...origin(at),
    message_id: messageId(n),
    user_id: `user-${n % people}`,
    timestamp: isoOf(at),
    event: 'something_happened',
    properties: { price: 49.9, name: 'Something nice', n },
  }),
};

const identifyStream: Stream = {
  name: 'identify',
  topic: identifyTopic,
  group: 'tracking',
  table: 'identifies',
  counted: 'identifies',
  idColumn: 'message_id',
  rowsPerSecond: 60,
  idOf: messageId,
  rowOf: (n, at) => ({
    ...origin(at),
    message_id: messageId(n),
    user_id: `user-${n % people}`,
    timestamp: isoOf(at),
    traits: { city: 'Shiraz', n },
  }),
};

const generalStream: Stream = {
  name: 'general',
  topic: generalEntityTopic,
  group: 'catalog',
  table: 'general_entities',
  counted: 'current_general_entities',
  idColumn: 'id',
  rowsPerSecond: 40,
  idOf: entityId,
  rowOf: (n, at) => ({ ...origin(at), id: entityId(n), type: 'store', data: { n }, version: at * 1_000 }),
};

const interactionStream: Stream = {
  name: 'interaction',
  topic: interactionTopic,
  group: 'push-interaction',
  table: 'push_interactions',
  counted: 'current_push_interactions',
  idColumn: 'notification_id',
  rowsPerSecond: 40,
  idOf: entityId,
  rowOf: (n, at) => ({
    ...origin(at),
    campaign_id: 'c1',
    notification_id: entityId(n),
    interaction: 'delivered',
    variation_id: 'a',
    profile_id: `user-${n % people}`,
    channel: 'web-push',
    provider: 'fcm',
    issued_at: isoOf(at),
    occurred_at: isoOf(at),
    reported_by: ['callback'],
  }),
};

export const streams: readonly Stream[] = [trackStream, identifyStream, generalStream, interactionStream];

export function streamOf(name: StreamName): Stream {
  const found = streams.find((stream) => stream.name === name);
  if (!found) throw new RangeError(`there is no stream ${name}`);
  return found;
}
