import { Worker } from 'node:worker_threads';
import { type HeldBytesChange, type SpoolAnswer, type SpoolCall, type SpoolRequest } from './spool-call.js';
import { type SpoolFolderOptions, type SpoolState } from './spool-folder.js';
import { type SpooledBatch } from './spooled-message.js';

const program = new URL('./spool-thread.js', import.meta.url);

/** A call to the spool failed, usually because of the disk. */
export class SpoolError extends Error {
  override readonly name = 'SpoolError';

  constructor(
    message: string,
    /** Whether there is no room for more messages. */
    readonly isFull: boolean,
  ) {
    super(message);
  }
}

interface PendingCall {
  resolve: (batch: SpooledBatch) => void;
  reject: (error: Error) => void;
}

/** Calls the thread of the spool. If the thread crashes, the process crashes too. */
export class SpoolWorker {
  private readonly worker: Worker;
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;
  /** Time at which the thread began its present call. */
  private busySince = 0;
  state: SpoolState = {
    rows: 0,
    bytes: 0,
    // Unknown until the first answer.
    roomBytes: Infinity,
    oldestAt: undefined,
    refused: 0,
    damaged: 0,
    unopened: [],
    damageFound: { damages: 0, last: '' },
  };

  /** @param onHeldBytesChange called with changes of the bytes of holders, before the call that made them is answered */
  constructor(
    options: SpoolFolderOptions,
    private readonly onHeldBytesChange: (changes: readonly HeldBytesChange[]) => void,
  ) {
    this.worker = new Worker(program, { workerData: options, name: 'spool' });
    this.worker.on('message', (answer: SpoolAnswer) => this.settle(answer));
  }

  /** Time for which the thread has worked on its present call. */
  get busyMs(): number {
    return this.pending.size === 0 ? 0 : performance.now() - this.busySince;
  }

  /** Calls the thread, which works on calls in turn. @throws SpoolError */
  call(request: SpoolRequest): Promise<SpooledBatch> {
    const id = ++this.lastId;
    if (this.pending.size === 0) this.busySince = performance.now();
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.worker.postMessage({ ...request, id } satisfies SpoolCall);
    });
  }

  private settle({ id, state, changes, batch, failure }: SpoolAnswer): void {
    this.state = state;
    this.onHeldBytesChange(changes);
    if (id === undefined) return;
    const pendingCall = this.pending.get(id);
    this.pending.delete(id);
    this.busySince = performance.now();
    if (failure) pendingCall?.reject(new SpoolError(failure.message, failure.isFull));
    else pendingCall?.resolve(batch);
  }
}
