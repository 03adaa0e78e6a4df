import { type EventPlace, type MessageState } from '@sluice/console-api';
import { type DeadLetter, type FoundMessage } from '@sluice/kafka';
import { destinationOf } from '../destinations.js';
import { type StoredRow } from './stored-rows.js';

/** Results of the searches; undefined if a server could not be asked. */
export interface Findings {
  readonly rows: readonly StoredRow[] | undefined;
  readonly messages: readonly FoundMessage[] | undefined;
  readonly letters: readonly DeadLetter[] | undefined;
  /** Offset below which a partition's consumer has confirmed all messages; undefined if it has confirmed none. */
  readonly confirmed: (topic: string, partition: number) => bigint | undefined;
}

/** Returns each message of the request once, ordered by topic, partition and offset. */
export function placeEvents({ rows, messages, letters, confirmed }: Findings): EventPlace[] {
  const places = new Map<string, EventPlace>();
  const put = (place: EventPlace): void => {
    const { topic, partition, offset } = place;
    const key = `${topic}:${partition}:${offset}`;
    if (!places.has(key)) places.set(key, place);
  };
  for (const row of rows ?? []) put(ofRow(row));
  for (const letter of letters ?? []) put(ofLetter(letter));
  for (const message of messages ?? []) {
    const state = stateOf(BigInt(message.offset), confirmed(message.topic, message.partition), rows !== undefined);
    put({ state, ...inKafka(message) });
  }
  return [...places.values()].sort(inOrder);
}

function stateOf(offset: bigint, confirmed: bigint | undefined, rowsAreKnown: boolean): MessageState {
  if (confirmed === undefined || offset >= confirmed) return 'waiting';
  return rowsAreKnown ? 'merged' : 'unknown';
}

const inKafka = ({ topic, partition, offset, timestamp }: FoundMessage) => ({
  topic,
  partition,
  offset,
  kafkaTimestamp: new Date(timestamp).toISOString(),
  table: destinationOf(topic)?.table ?? null,
});

const ofRow = ({ messageId, storedAt, table, ...place }: StoredRow): EventPlace => ({
  state: 'stored',
  ...inKafka(place),
  table,
  storedAt,
  ...(messageId !== null && { messageId }),
});

const ofLetter = ({ id, reason, topic, partition, offset, timestamp }: DeadLetter): EventPlace => ({
  state: 'dead-lettered',
  ...inKafka({ topic, partition, offset, timestamp }),
  reason,
  letter: id,
});

const inOrder = (a: EventPlace, b: EventPlace): number =>
  a.topic.localeCompare(b.topic) || a.partition - b.partition || Number(BigInt(a.offset) - BigInt(b.offset));
