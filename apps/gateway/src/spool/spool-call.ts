import { type BatchLimits } from './queue.js';
import { type SpoolState } from './spool-folder.js';
import { type Batch, type MessageToSpool, type Place, type SpooledMessage } from './spooled-message.js';

/** What is asked of the thread of the spool: the methods of `SpoolFolder`. */
export type SpoolRequest =
  | { kind: 'append'; messages: readonly MessageToSpool[] }
  | { kind: 'take'; delivered: Place | undefined; limits: BatchLimits }
  | { kind: 'refuse'; messages: readonly SpooledMessage[]; error: string }
  | { kind: 'look'; mustHaveRoom: boolean }
  | { kind: 'close' };

export type SpoolCall = SpoolRequest & { id: number };

export interface SpoolAnswer {
  readonly id: number;
  readonly state: SpoolState;
  /** Of `take`; of all others nothing. */
  readonly batch: Batch;
  readonly failure?: { readonly message: string; readonly isFull: boolean };
}
