import { randomUUID } from 'node:crypto';
import { generalEntityTopic, identifyTopic, interactionTopic, trackTopic } from '@sluice/contracts';
import { type LoadStream } from '../../load/stream-load.js';

/** Source of all counted rows. */
export const faultSource = 'FaultSource1';
export type StreamName = 'track' | 'identify' | 'general' | 'interaction';

/** A stream whose messages are counted in a table. */
export interface Stream extends LoadStream {
  readonly name: StreamName;
  readonly group: string;
  readonly table: string;
  /** Table or view to count: rows of a table that only appends, or entities of a table that merges. */
  readonly countedTable: string;
  readonly idColumn: string;
  /** Time column that separates rows of the run from older ones, in a table ordered by time. */
  readonly timeColumn?: string;
}

const digits = 12;
const messageId = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(digits, '0')}`;
const entityId = (n: number): string => `e-${String(n).padStart(digits, '0')}`;
const toIso = (time: number): string => new Date(time).toISOString();
const origin = (time: number) => ({ source_id: faultSource, request_id: randomUUID(), received_at: toIso(time) });
const people = 1_000;
const readPerson: LoadStream['readKey'] = ({ user_id }) => String(user_id);

const trackStream: Stream = {
  name: 'track',
  topic: trackTopic,
  group: 'tracking',
  table: 'events',
  countedTable: 'events',
  idColumn: 'message_id',
  timeColumn: 'timestamp',
  rowsPerSecond: 250,
  makeId: messageId,
  readKey: readPerson,
  makeRow: (n, time) => ({
    ...origin(time),
    message_id: messageId(n),
    user_id: `user-${n % people}`,
    timestamp: toIso(time),
    event: 'something_happened',
    properties: { price: 49.9, name: 'Something nice', n },
  }),
};

const identifyStream: Stream = {
  name: 'identify',
  topic: identifyTopic,
  group: 'tracking',
  table: 'identifies',
  countedTable: 'identifies',
  idColumn: 'message_id',
  rowsPerSecond: 60,
  makeId: messageId,
  readKey: readPerson,
  makeRow: (n, time) => ({
    ...origin(time),
    message_id: messageId(n),
    user_id: `user-${n % people}`,
    timestamp: toIso(time),
    traits: { city: 'Shiraz', n },
  }),
};

const generalStream: Stream = {
  name: 'general',
  topic: generalEntityTopic,
  group: 'catalog',
  table: 'general_entities',
  countedTable: 'current_general_entities',
  idColumn: 'id',
  rowsPerSecond: 40,
  makeId: entityId,
  readKey: ({ id }) => String(id),
  makeRow: (n, time) => ({ ...origin(time), id: entityId(n), type: 'store', data: { n }, version: time * 1_000 }),
};

const interactionStream: Stream = {
  name: 'interaction',
  topic: interactionTopic,
  group: 'push-interaction',
  table: 'push_interactions',
  countedTable: 'current_push_interactions',
  idColumn: 'notification_id',
  rowsPerSecond: 40,
  makeId: entityId,
  readKey: ({ notification_id }) => String(notification_id),
  makeRow: (n, time) => ({
    ...origin(time),
    campaign_id: 'c1',
    notification_id: entityId(n),
    interaction: 'delivered',
    variation_id: 'a',
    profile_id: `user-${n % people}`,
    channel: 'web-push',
    provider: 'fcm',
    issued_at: toIso(time),
    occurred_at: toIso(time),
    reported_by: ['callback'],
  }),
};

export const streams: readonly Stream[] = [trackStream, identifyStream, generalStream, interactionStream];

export function requireStream(name: StreamName): Stream {
  const stream = streams.find((stream) => stream.name === name);
  if (!stream) throw new RangeError(`there is no stream ${name}`);
  return stream;
}
