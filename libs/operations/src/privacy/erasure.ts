import { withTopicPrefix } from '@sluice/contracts';
import { type ErasureState } from '@sluice/console-api';
import { type CompactedRecord, type TopicEnds } from '@sluice/kafka';
import { type PersonId } from './people.js';

/** The compacted topic of erasures, with a record for each. A restore of ClickHouse leaves it as it is. */
export const erasuresTopic = withTopicPrefix('erasures.v1');

/**
 * States after `requested`: suppressed at every gateway and consumer; all ids of the person found, and
 * suppressed too; the ends of the topics read; in a batch that is deleted; no row found by any path; the suppression
 * lifted, while Kafka and backups still have the person; nothing has.
 */
export const erasureStates = [
  'requested',
  'suppressed',
  'resolved',
  'barrier',
  'deleting',
  'verified',
  'waiting',
  'closed',
] as const satisfies readonly ErasureState[];

/** An erasure, without anything that identifies the person. All times are ISO 8601. */
export interface Erasure {
  /** Id of the request. */
  readonly request: string;
  /** Grows with each record of the erasure. */
  readonly revision: number;
  /** Names the privacy key that hashed and sealed the ids. */
  readonly keyId: string;
  readonly state: ErasureState;
  readonly requestedAt: string;
  /** Name of the person who requested the erasure. */
  readonly by: string;
  readonly isReverse: boolean;
  readonly keepsSuppressed: boolean;
  readonly sources: readonly string[];
  /** Keyed hash of all ids that were asked for: equal if the same ids are asked for again. */
  readonly asked: string;
  /** Numbers of ids, by kind. */
  readonly ids: Readonly<Record<string, number>>;
  /** Devices that the person used and that belong to others: their anonymous rows stay. */
  readonly othersDevices: number;
  /** Keys of the records in `suppressions.v1`, which hold keyed hashes. */
  readonly suppressions: readonly string[];
  /** Offset of the last of these records. */
  readonly suppressionOffset?: string;
  readonly ends?: TopicEnds;
  /** The batch of mutations that the erasure belongs to. */
  readonly batch?: string;
  /** Rows that were there before the deletion, by table; the sum over all batches. */
  readonly rows: Readonly<Record<string, number>>;
  readonly mutations: readonly { readonly server: string; readonly table: string; readonly id: string }[];
  /** Time at which each state was reached last. */
  readonly reached: Readonly<Partial<Record<ErasureState, string>>>;
  /** Number of batches that the erasure took. */
  readonly batches: number;
  /** Number of repetitions after a restore. */
  readonly reapplied: number;
  /** Time from which the person counts as a new one; if the erasure is repeated, only earlier rows are erased. */
  readonly until?: string;
  /** Times from which Kafka, and backups, no longer have the person. */
  readonly clearAt?: { readonly kafka: string; readonly backups: string };
  /** Obstacle that keeps the erasure from its next state. */
  readonly problem?: string;
  /** The ids, encrypted; dropped when the erasure is closed. */
  readonly sealed?: string;
}

/** Contents of `sealed`. */
export interface SealedIds {
  /** The ids that were asked for. */
  readonly asked: readonly PersonId[];
  /** All ids of the person. */
  readonly ids: readonly PersonId[];
  /** Days with events of the batch's people, in one erasure of it, for views that are asked by time. */
  readonly days: readonly { readonly source: string; readonly day: string }[];
}

/** An erasure as reports show it. */
export type ErasureReport = Omit<Erasure, 'sealed' | 'ends' | 'suppressionOffset' | 'revision'>;

export function toErasureReport(erasure: Erasure): ErasureReport {
  const hidden = new Set(['sealed', 'ends', 'suppressionOffset', 'revision']);
  return Object.fromEntries(Object.entries(erasure).filter(([name]) => !hidden.has(name))) as unknown as ErasureReport;
}

export const recordOfErasure = (erasure: Erasure): CompactedRecord => ({
  key: erasure.request,
  value: Buffer.from(JSON.stringify(erasure)),
});

/** Ignores members that a later version may have added. @throws TypeError when the bytes are not an erasure. */
export function parseErasure(key: string, value: Buffer): Erasure {
  const erasure = JSON.parse(value.toString()) as Partial<Erasure> | null;
  const isRight =
    erasure?.request === key &&
    erasureStates.some((state) => state === erasure.state) &&
    typeof erasure.keyId === 'string' &&
    typeof erasure.revision === 'number' &&
    Array.isArray(erasure.suppressions) &&
    typeof erasure.reached === 'object';
  if (!isRight) throw new TypeError('not an erasure');
  return erasure as Erasure;
}
