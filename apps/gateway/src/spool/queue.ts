import { type SpooledMessage } from './spooled-message.js';

/** Most that may be taken from a queue at a time. One message is always taken, however large it is. */
export interface BatchLimits {
  readonly messages: number;
  readonly bytes: number;
}

/** Messages that the disk did not keep as they were written. */
export interface QueueDamage {
  /** Place of the first and of the last of them. */
  readonly first: number;
  readonly last: number;
  /** Bytes that the disk has in their place, if any. @throws when it cannot be read */
  readonly read: () => Uint8Array;
}

/** The next messages, the damage between, and the last place of both. */
export interface Taken {
  readonly messages: readonly SpooledMessage[];
  readonly damages: readonly QueueDamage[];
  /** 0 when nothing comes. */
  readonly through: number;
}

/** Messages in their order, on the disk, of which this process is the only user. */
export interface Queue {
  /** Path of the queue, never used again for another one. */
  readonly path: string;
  /** Messages that wait. */
  readonly rows: number;
  /** Space that they take, in bytes. */
  readonly usedBytes: number;
  /** Time at which the oldest of them was accepted; undefined when there is none. */
  readonly oldestAt: number | undefined;
  /** Forgets taken messages, then takes the next ones; their intent is on the disk when this returns. */
  take(forgetThrough: number, limits: BatchLimits): Taken;
  /** Frees space when the disk is full, and uses less from now on. */
  saveRoom?(): void;
  /** Lets go of the queue; one that is empty is removed. */
  close(): void;
}
