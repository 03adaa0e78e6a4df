import { type Batch } from '../message/batch.js';
import { type Packed } from '../ports/ports.js';

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
  /** True if its request began because the page may end: the failure of another one does not hold it back. */
  isTail?: boolean;
  /** True while the platform compresses its body: it is sent afterwards, or as it is when the page may end. */
  isPacking?: boolean;
  /** The request body, compressed by the platform. */
  packed?: Packed | undefined;
  /** Number of pauses of the client before the last request with this batch. */
  pausesBefore?: number;
  /** Number of messages that the store lacks, or has not confirmed. */
  unsaved: number;
  /** Time of this client's first try, by the monotonic clock. */
  triedAt?: number;
  /** Time of the next try, by the monotonic clock. */
  due: number;
  /** Earliest time to which that can be moved: Retry-After or the backoff, without jitter. `due` if it is left out. */
  notBefore?: number | undefined;
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

/** False for a batch that an earlier configuration made for another host, where a try is in doubt. */
export const isForHost = ({ batch }: Entry, host: string): boolean => batch.host === host;
