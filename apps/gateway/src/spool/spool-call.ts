import { type Holder } from './holder.js';
import { type BatchLimits } from './taken.js';
import { type SpoolState } from './spool-folder.js';
import { type SpooledBatch, type MessageToSpool, type QueuePlace, type SpooledMessage } from './spooled-message.js';

/** A request to the thread of the spool; each kind is a method of `SpoolFolder`. */
export type SpoolRequest =
  | { kind: 'append'; messages: readonly MessageToSpool[] }
  | { kind: 'take'; delivered: QueuePlace | undefined; limits: BatchLimits }
  | { kind: 'refuse'; messages: readonly SpooledMessage[]; error: string }
  | { kind: 'look'; mustHaveRoom: boolean }
  | { kind: 'close' };

export type SpoolCall = SpoolRequest & { id: number };

export interface SpoolAnswer {
  /** The call that is answered; undefined for what the thread has found out between calls. */
  readonly id: number | undefined;
  readonly state: SpoolState;
  /** Changes of the bytes of holders since the last answer. */
  readonly changes: readonly (readonly [Holder, number])[];
  /** Result of `take`; empty for all others. */
  readonly batch: SpooledBatch;
  readonly failure?: { readonly message: string; readonly isFull: boolean };
}
