import { type Batch } from './batch.js';

/** A batch as its client has it in memory. */
export interface Entry {
  readonly batch: Batch;
  /** The messages, when this client made them; those of others are read from the store. */
  texts?: string[] | undefined;
  /** Sealed in the store too, so that it may be sent. */
  isReady: boolean;
  /** Whether the store has any of it. */
  isStored: boolean;
  /** A message could not be stored: from there on the batch is in memory only. */
  isCut: boolean;
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
  isCut: false,
  isInFlight: false,
  due: 0,
});
