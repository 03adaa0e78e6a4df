import { type EventPlace, type MessageState } from '@sluice/console-api';
import { type DeadLetter, type FoundMessage } from '@sluice/kafka';
import { findDestination } from '../destinations.js';
import { type StoredRow } from './stored-rows.js';

/** Results of the searches. Each list is undefined if its server could not be asked. */
export interface RequestSearch {
  readonly rows: readonly StoredRow[] | undefined;
  readonly messages: readonly FoundMessage[] | undefined;
  readonly letters: readonly DeadLetter[] | undefined;
  /** Offset below which a partition's consumer has confirmed all messages; undefined if it has confirmed none. */
  readonly confirmedOffset: (topic: string, partition: number) => bigint | undefined;
}

/** Returns each message of the request once, ordered by topic, partition and offset. */
export function placeEvents({ rows, messages, letters, confirmedOffset }: RequestSearch): EventPlace[] {
  const places = new Map<string, EventPlace>();
  const addPlace = (place: EventPlace): void => {
    const { topic, partition, offset } = place;
    const key = `${topic}:${partition}:${offset}`;
    if (!places.has(key)) places.set(key, place);
  };
  for (const row of rows ?? []) addPlace(placeRow(row));
  for (const letter of letters ?? []) addPlace(placeLetter(letter));
  for (const message of messages ?? []) {
    const state = messageState(
      BigInt(message.offset),
      confirmedOffset(message.topic, message.partition),
      rows !== undefined,
    );
    addPlace({ state, ...kafkaPlace(message) });
  }
  return [...places.values()].sort(comparePlaces);
}

function messageState(offset: bigint, confirmed: bigint | undefined, areRowsKnown: boolean): MessageState {
  if (confirmed === undefined || offset >= confirmed) return 'waiting';
  return areRowsKnown ? 'merged' : 'unknown';
}

const kafkaPlace = ({ topic, partition, offset, timestamp }: FoundMessage) => ({
  topic,
  partition,
  offset,
  kafkaTimestamp: new Date(timestamp).toISOString(),
  table: findDestination(topic)?.table ?? null,
});

const placeRow = ({ messageId, storedAt, table, ...place }: StoredRow): EventPlace => ({
  state: 'stored',
  ...kafkaPlace(place),
  table,
  storedAt,
  ...(messageId !== null && { messageId }),
});

const placeLetter = ({ id, reason, topic, partition, offset, timestamp }: DeadLetter): EventPlace => ({
  state: 'dead-lettered',
  ...kafkaPlace({ topic, partition, offset, timestamp }),
  reason,
  letter: id,
});

const comparePlaces = (a: EventPlace, b: EventPlace): number =>
  a.topic.localeCompare(b.topic) || a.partition - b.partition || Number(BigInt(a.offset) - BigInt(b.offset));
