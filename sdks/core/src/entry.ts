import { type Batch } from './batch.js';

/** A batch in the memory of its client. */
export interface Entry {
  readonly batch: Batch;
  /** The messages, if this client made them. Messages of other owners are read from the store. */
  texts?: string[] | undefined;
  /** True once sealing has ended, in the store too: the batch can be sent. */
  isReady?: boolean;
  /** True if the store has the batch; otherwise it is only in memory. */
  isStored: boolean;
  /** True if the store refused the first message; the others are then not offered to it. */
  isRefused?: boolean;
  /** True if the store was cleared after the batch was made: if the batch is missing there, it may be unsent. */
  isCleared?: boolean;
  isInFlight?: boolean;
  /** Number of pauses of the client before the last request with this batch. */
  pausesBefore?: number;
  /** Number of messages that the store lacks, or has not confirmed. */
  unsaved: number;
  /** Time of this client's first try, by the monotonic clock. */
  triedAt?: number;
  /** Earliest time of the next try, by the monotonic clock. */
  due: number;
  /** Cancels the timer that seals the batch. */
  cancelTimer?: () => void;
  /** Resolves when all writes to the store have succeeded or failed. */
  writes?: Promise<unknown> | undefined;
}

export const newEntry = (batch: Batch, texts?: string[]): Entry => ({
  batch,
  texts,
  isStored: texts === undefined,
  due: 0,
  unsaved: 0,
});
