import { type Holder } from './holder.js';
import { type BatchLimits } from './queue-batch.js';
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

/** A holder, and by how much its bytes have changed. */
export type HeldBytesChange = readonly [holder: Holder, bytes: number];

export interface SpoolAnswer {
  /** Id of the call that is answered; undefined for news of the thread between calls. */
  readonly id: number | undefined;
  readonly state: SpoolState;
  /** Changes of the bytes of holders since the last answer. */
  readonly changes: readonly HeldBytesChange[];
  /** Result of `take`; empty for all others. */
  readonly batch: SpooledBatch;
  readonly failure?: { readonly message: string; readonly isFull: boolean };
}
