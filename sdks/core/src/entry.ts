import { type Batch } from './batch.js';

/** A batch as its client has it in memory. */
export interface Entry {
  readonly batch: Batch;
  /** The messages, when this client made them; those of others are read from the store. */
  texts?: string[] | undefined;
  /** Sealed in the store too, so that it may be sent. */
  isReady: boolean;
  /** Whether the store has it; else it is in memory only. */
  isStored: boolean;
  /** The store did not take its first message: the others are not offered to it. */
  isRefused: boolean;
  /** The store was cleared since: if it does not have the batch, nobody has. */
  isCleared: boolean;
  isInFlight: boolean;
  /** Earliest next try, by the monotonic clock. */
  due: number;
  /** Resolves when the messages are in the store, as far as they ever will be. */
  writes?: Promise<unknown> | undefined;
}

export const newEntry = (batch: Batch, texts?: string[]): Entry => ({
  batch,
  texts,
  isReady: false,
  isStored: texts === undefined,
  isRefused: false,
  isCleared: false,
  isInFlight: false,
  due: 0,
});
