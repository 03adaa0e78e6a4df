import { Worker } from 'node:worker_threads';
import { type SpoolAnswer, type SpoolCall, type SpoolRequest } from './spool-call.js';
import { type SpoolFolderOptions, type SpoolState } from './spool-folder.js';
import { type SpooledMessage } from './spooled-message.js';

/** The built program: a thread of Node's does not read the sources. */
const program = new URL('../../dist/spool/spool-thread.js', import.meta.url);

/** The disk did not do what it was asked. */
export class SpoolError extends Error {
  override readonly name = 'SpoolError';

  constructor(
    message: string,
    /** There is no room for more. */
    readonly isFull: boolean,
  ) {
    super(message);
  }
}

interface Asked {
  resolve: (taken: readonly SpooledMessage[]) => void;
  reject: (error: Error) => void;
}

/** Calls to the thread of the spool. If the thread crashes, so does the process. */
export class SpoolWorker {
  private readonly worker: Worker;
  private readonly asked = new Map<number, Asked>();
  private lastId = 0;
  state: SpoolState = { rows: 0, bytes: 0, oldestAt: undefined, refused: 0, damaged: 0 };

  constructor(options: SpoolFolderOptions) {
    this.worker = new Worker(program, { workerData: options, name: 'spool' });
    this.worker.on('message', (answer: SpoolAnswer) => {
      this.settle(answer);
    });
  }

  /** Calls are worked on one after the other. @throws SpoolError */
  ask(request: SpoolRequest): Promise<readonly SpooledMessage[]> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      this.worker.postMessage({ ...request, id } satisfies SpoolCall);
    });
  }

  private settle({ id, state, taken, failure }: SpoolAnswer): void {
    this.state = state;
    const asked = this.asked.get(id);
    this.asked.delete(id);
    if (failure) asked?.reject(new SpoolError(failure.message, failure.isFull));
    else asked?.resolve(taken);
  }
}
