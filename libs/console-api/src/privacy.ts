/** Kind of an id of a person; `seller` is one of the catalog. */
export type PersonIdKind = 'user' | 'anonymous' | 'seller';

/** Ids of one person. */
export interface Person {
  /**
   * Identifier of a source; null for all sources.
   * @maxLength 64
   */
  source: string | null;
  /** @maxItems 20 */
  ids: NamedId[];
  /** Whether users who were seen with a device of theirs are the same person. */
  isReverse?: boolean;
}

export interface NamedId {
  kind: PersonIdKind;
  /**
   * @pattern \S
   * @maxLength 256
   */
  id: string;
}

/** Rows of a person in a source. */
export interface PersonRows {
  /** Empty for refused requests that named no source. */
  sourceIdentifier: string;
  sourceName: string;
  /** Rows by table. */
  rows: Readonly<Record<string, number>>;
}

/** An erasure that covers the person searched for. */
export interface PersonErasure {
  request: string;
  state: ErasureState;
  requestedAt: string;
  /** Whether it covers all ids searched for. */
  isOfAll: boolean;
}

/** Numbers of a person's rows and devices, without anything that identifies them. */
export interface PersonPreview {
  /** Sources that have rows, most rows first; at most 100. */
  sources: PersonRows[];
  /** Number of sources that have rows. */
  found: number;
  /** Names of sources that were searched and have none, at most 10, and their number. */
  emptySources: string[];
  emptyCount: number;
  /** Numbers of different ids by kind, with those that were found to belong to the person. */
  ids: Readonly<Record<string, number>>;
  /** Devices that the person used and that belong to others: their anonymous rows stay. */
  othersDevices: number;
  /** Rows of others among those rows: events of groups that have an id of the person. */
  rowsOfOthers: number;
  /** Rows that an erasure would delete now, by table. */
  rows: Readonly<Record<string, number>>;
  /** Whether ad requests are searched. */
  hasAdRequestPaths: boolean;
  /** Whether messages of one of the ids are dropped now. */
  isSuppressed: boolean;
  /** Erasures of these ids, and those under way of some of them; the newest first, at most 10. */
  erasures: PersonErasure[];
}

export interface NewErasure extends Person {
  /** Whether their messages are dropped for ever, not only until they are erased. */
  keepsSuppressed?: boolean;
  /**
   * Name of the ticket, or of who asked: the report has it, so it must not name the person.
   * @maxLength 100
   */
  by?: string;
}

/** States of an erasure, in the order in which it reaches them. */
export type ErasureState =
  'requested' | 'suppressed' | 'resolved' | 'barrier' | 'deleting' | 'verified' | 'waiting' | 'closed';

/** An erasure, without anything that identifies the person. Times are ISO 8601 UTC. */
export interface ErasureView {
  request: string;
  state: ErasureState;
  requestedAt: string;
  by: string;
  sources: readonly string[];
  ids: Readonly<Record<string, number>>;
  othersDevices: number;
  /** Rows that were there before the deletion, by table. */
  rows: Readonly<Record<string, number>>;
  keepsSuppressed: boolean;
  /** When each state was reached last. */
  reached: Readonly<Partial<Record<ErasureState, string>>>;
  /** Times that it was done again after a restore. */
  reapplied: number;
  /** Why it does not go on; null if it does. */
  problem: string | null;
  /** When Kafka and backups no longer have the person; null before the state `waiting`. */
  clearAt: { kafka: string; backups: string } | null;
}

export interface ErasureList {
  /** Newest first, at most 500. */
  erasures: ErasureView[];
  /** Number of erasures that have not reached the state `waiting` yet. */
  open: number;
}

export interface SuppressionResult {
  /** Number of ids whose suppression was changed, with those that were found to belong to the person. */
  changed: number;
}

export interface Restored {
  /**
   * When the backup was begun: erasures verified since then are done again.
   * @format date-time
   */
  since: string;
}

export interface ReappliedErasures {
  /** Number of erasures that were begun again. */
  again: number;
  /** Erasures that were closed since: their ids are gone, so a backup that old must not be used. */
  closed: readonly string[];
}
