import { type SpooledMessage } from './spooled-message.js';

/** Upper bounds of one batch. One message is always taken, however large it is. */
export interface BatchLimits {
  readonly messages: number;
  readonly bytes: number;
}

/** Consecutive messages that the disk has damaged or lost. */
export interface QueueDamage {
  /** Places of the first and of the last message. */
  readonly first: number;
  readonly last: number;
  /** Returns the bytes on the disk in place of the messages, if any. @throws when they cannot be read */
  readonly read: () => Uint8Array;
}

/** The next messages, the damage between them, and the last place of both. */
export interface QueueBatch {
  readonly messages: readonly SpooledMessage[];
  readonly damages: readonly QueueDamage[];
  /** 0 when there is no entry. */
  readonly lastSeq: number;
}
