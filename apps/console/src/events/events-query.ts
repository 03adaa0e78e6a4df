import { toClickHouseTime } from '@sluice/clickhouse';
import { type EventsQuery } from '@sluice/console-api';
import { type Range } from '../http/range.js';
import { type EventKind, eventKinds } from './event-kinds.js';

export type EventFilter = Pick<EventsQuery, 'source' | 'user' | 'event' | 'text' | 'topic' | 'request'>;

/** Place in the list: newest first, and by the place in Kafka among rows of the same time. */
export interface Cursor {
  time: string;
  topic: string;
  partition: number;
  offset: string;
}

/** A row of any table of events, in the columns that the list shows. */
export interface FoundRow {
  topic: string;
  /** Partition and offset of its message, under names that no column has. */
  place: number;
  position: string;
  source: string;
  event_name: string;
  user_name: string;
  anonymous: string;
  entity: string;
  received: string;
  stored: string;
  request: string;
  /** Columns of free form, such as properties and context, as JSON. */
  bags: string[];
}

/** Kinds of events whose tables may have rows that match a filter. */
export const kindsFor = ({ user, event, topic }: EventFilter): readonly EventKind[] =>
  eventKinds.filter(
    (kind) =>
      (topic === undefined || kind.topic === topic) &&
      (user === undefined || kind.user !== "''") &&
      (event === undefined || kind.constant === undefined || kind.constant === event),
  );

/**
 * Rows of all kinds, newest first. No alias has the name of a column: in ClickHouse it would take the place of the column
 * in WHERE.
 */
export function listQuery(kinds: readonly EventKind[], filter: EventFilter, hasCursor: boolean): string {
  const selects = kinds.map((kind) => `SELECT * FROM (${buildSelect(kind, filter, hasCursor)})`);
  return `SELECT * FROM (
${selects.join('\nUNION ALL\n')}
) ORDER BY received DESC, topic DESC, place DESC, toUInt64(position) DESC LIMIT {limit:UInt32}`;
}

function buildSelect(kind: EventKind, filter: EventFilter, hasCursor: boolean): string {
  const { topic, table, event, user, anonymous, entity, bags } = kind;
  const searched = [event, user, anonymous, entity, ...bags].join(", ' ', ");
  const conditions = [
    'received_at >= {from:DateTime64(3)} AND received_at < {to:DateTime64(3)}',
    ...(filter.source === undefined ? [] : ['source_id = {source:String}']),
    ...(filter.user === undefined ? [] : ['(user_id = {user:String} OR anonymous_id = {user:String})']),
    ...(filter.event === undefined || kind.constant !== undefined ? [] : [`${event} = {event:String}`]),
    ...(filter.request === undefined ? [] : ['request_id = {request:UUID}']),
    ...(filter.text === undefined ? [] : [`positionCaseInsensitiveUTF8(concat(${searched}), {text:String}) > 0`]),
    ...(hasCursor
      ? [
          `(toDateTime64(received_at, 3, 'UTC'), '${topic}', toUInt16(kafka_partition), toUInt64(kafka_offset)) < ({time:DateTime64(3)}, {lastTopic:String}, {partition:UInt16}, {offset:UInt64})`,
        ]
      : []),
  ];
  return `${buildColumns(kind)}
FROM ${table} WHERE ${conditions.join('\n  AND ')}
ORDER BY received_at DESC, kafka_partition DESC, kafka_offset DESC LIMIT {limit:UInt32}`;
}

const buildColumns = ({ topic, event, user, anonymous, entity, bags }: EventKind): string =>
  `SELECT '${topic}' AS topic, toUInt16(kafka_partition) AS place, toString(kafka_offset) AS position,
  toString(source_id) AS source, toString(${event}) AS event_name, toString(${user}) AS user_name,
  toString(${anonymous}) AS anonymous, toString(${entity}) AS entity, toDateTime64(received_at, 3, 'UTC') AS received,
  toDateTime64(stored_at, 3, 'UTC') AS stored, toString(request_id) AS request,
  CAST([${bags.join(', ')}], 'Array(String)') AS bags`;

/** Query for all columns of a row, by its place in Kafka. */
export const detailQuery = (kind: EventKind): string =>
  `${buildColumns(kind)}, formatRowNoNewline('JSONEachRow', ${kind.except === undefined ? '*' : `* EXCEPT ${kind.except}`}) AS payload
FROM ${kind.table} WHERE kafka_partition = {partition:UInt16} AND kafka_offset = {offset:UInt64}
ORDER BY received_at DESC LIMIT 1`;

export const eventParameters = (
  filter: EventFilter,
  { from, to }: Range,
  cursor: Cursor | undefined,
  limit: number,
): Record<string, string | number> => ({
  from: toClickHouseTime(from),
  to: toClickHouseTime(to),
  limit,
  ...filter,
  ...(cursor && {
    time: cursor.time,
    lastTopic: cursor.topic,
    partition: cursor.partition,
    offset: cursor.offset,
  }),
});
