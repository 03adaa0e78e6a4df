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
export interface Taken {
  readonly messages: readonly SpooledMessage[];
  readonly damages: readonly QueueDamage[];
  /** 0 when there is no entry. */
  readonly through: number;
}

/** Messages on the disk in order; this process is the only owner. */
export interface Queue {
  /** Path of the queue; no other queue ever has it. */
  readonly path: string;
  /** Number of waiting messages. */
  readonly rows: number;
  /** Space of the waiting messages, in bytes. */
  readonly usedBytes: number;
  /** Time at which the oldest message was accepted; undefined when there is none. */
  readonly oldestAt: number | undefined;
  /** Forgets taken messages, then takes the next ones; their intent is on the disk when this returns. */
  take(forgetThrough: number, limits: BatchLimits): Taken;
  /** Frees space when the disk is full, and uses less from now on. */
  saveRoom?(): void;
  /** Releases the queue, and removes it if it is empty. */
  close(): void;
}
