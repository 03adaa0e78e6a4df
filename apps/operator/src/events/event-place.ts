import { type DeadLetter, type FoundMessage } from '@sluice/kafka';
import { destinationOf } from '../destinations.js';
import { type StoredRow } from './stored-rows.js';

/**
 * Where one message of a request is.
 * - `stored`: it is a row of its table.
 * - `dead-lettered`: it was refused.
 * - `waiting`: it lies in Kafka, and its consumer has not confirmed it yet.
 * - `merged`: its consumer has confirmed it, and no row bears its request id any more: an equal or newer message of the
 *   same thing took its place.
 * - `unknown`: it lies in Kafka; what became of it could not be asked.
 */
export type State = 'stored' | 'dead-lettered' | 'waiting' | 'merged' | 'unknown';

export interface EventPlace {
  readonly state: State;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** When Kafka took it, ISO 8601 UTC. */
  readonly kafkaTimestamp: string;
  /** Where it is stored, or will be. */
  readonly table: string | null;
  readonly messageId?: string;
  readonly storedAt?: string;
  /** Of the dead letter. */
  readonly reason?: string;
  readonly letter?: string;
}

/** What the servers said; undefined from one that could not be asked. */
export interface Findings {
  readonly rows: readonly StoredRow[] | undefined;
  readonly messages: readonly FoundMessage[] | undefined;
  readonly letters: readonly DeadLetter[] | undefined;
  /** The offset below which a partition's consumer has confirmed everything; none when it has confirmed nothing. */
  readonly confirmed: (topic: string, partition: number) => bigint | undefined;
}

/** Each message of the request once, in the order of topics, partitions and offsets. */
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

function stateOf(offset: bigint, confirmed: bigint | undefined, rowsAreKnown: boolean): State {
  if (confirmed === undefined || offset >= confirmed) return 'waiting';
  return rowsAreKnown ? 'merged' : 'unknown';
}

const inKafka = ({ topic, partition, offset, timestamp }: FoundMessage) => ({
  ...{ topic, partition, offset, kafkaTimestamp: new Date(timestamp).toISOString() },
  table: destinationOf(topic)?.table ?? null,
});

const ofRow = ({ messageId, storedAt, table, ...place }: StoredRow): EventPlace => ({
  ...{ state: 'stored', ...inKafka(place), table, storedAt },
  ...(messageId !== null && { messageId }),
});

const ofLetter = ({ id, reason, topic, partition, offset, timestamp }: DeadLetter): EventPlace => ({
  ...{ state: 'dead-lettered', ...inKafka({ topic, partition, offset, timestamp }), reason, letter: id },
});

const inOrder = (a: EventPlace, b: EventPlace): number =>
  a.topic.localeCompare(b.topic) || a.partition - b.partition || Number(BigInt(a.offset) - BigInt(b.offset));
