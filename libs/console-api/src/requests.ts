import { type MaskedJson } from './payload.js';
import { type RefusedRequest } from './refused.js';

/**
 * State of one message of a request.
 * - `stored`: it is a row of its table.
 * - `dead-lettered`: it was refused.
 * - `waiting`: it is in Kafka, and its consumer has not confirmed it yet.
 * - `merged`: its consumer has confirmed it, and no row has its request id: an equal or newer message of the same
 * entity replaced its row.
 * - `unknown`: it is in Kafka; ClickHouse could not be asked.
 */
export type MessageState = 'stored' | 'dead-lettered' | 'waiting' | 'merged' | 'unknown';

export interface EventPlace {
  readonly state: MessageState;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Time at which Kafka took the message, ISO 8601 UTC. */
  readonly kafkaTimestamp: string;
  /** Table of the message, also if it is not stored yet. */
  readonly table: string | null;
  readonly messageId?: string;
  readonly storedAt?: string;
  /** Reason of the dead letter. */
  readonly reason?: string;
  readonly letter?: string;
}

/** Messages of a request, and the places that were searched. */
export interface FoundRequest {
  readonly requestId: string;
  /** ISO 8601 UTC, like all times here. */
  readonly receivedAt: string;
  readonly events: readonly EventPlace[];
  readonly searched: {
    /** Null if Kafka was not asked, or did not answer. */
    readonly kafka: { readonly from: string; readonly until: string; readonly messagesRead: number } | null;
    readonly tables: readonly string[];
  };
  /** Reasons why servers could not be asked. */
  readonly problems: readonly string[];
}

export interface JourneyQuery {
  /**
   * Time after the request for which Kafka is searched, `10m` by default; `1d` for what waited on a disk.
   * @maxLength 8
   */
  window?: string;
  /** `tables` answers at once with what is stored, and does not ask Kafka. */
  search?: 'tables' | 'all';
}

/** The whole story of a request. */
export interface Journey extends FoundRequest {
  /** Rows of the stored messages, masked, in the order of `events`; null for one that has no row. */
  readonly rows: readonly (MaskedJson | null)[];
  /** The refusal, if the request was refused and sampled. */
  readonly refused: RefusedRequest | null;
  readonly sql: string;
  readonly command: string;
}
