import { type BatchLimits } from './queue.js';
import { type SpoolState } from './spool-folder.js';
import { type SpooledBatch, type MessageToSpool, type QueuePlace, type SpooledMessage } from './spooled-message.js';

/** What is asked of the thread of the spool: the methods of `SpoolFolder`. */
export type SpoolRequest =
  | { kind: 'append'; messages: readonly MessageToSpool[] }
  | { kind: 'take'; delivered: QueuePlace | undefined; limits: BatchLimits }
  | { kind: 'refuse'; messages: readonly SpooledMessage[]; error: string }
  | { kind: 'look'; mustHaveRoom: boolean }
  | { kind: 'close' };

export type SpoolCall = SpoolRequest & { id: number };

export interface SpoolAnswer {
  readonly id: number;
  readonly state: SpoolState;
  /** Of `take`; of all others nothing. */
  readonly batch: SpooledBatch;
  readonly failure?: { readonly message: string; readonly isFull: boolean };
}
