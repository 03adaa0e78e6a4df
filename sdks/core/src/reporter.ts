import { attempt } from './attempt.js';
import { type MaybePromise } from './ports.js';
import { type SluiceError, type SluiceErrorCode } from './sluice-error.js';

/** Reports errors to the integrator and counts messages that were given up. */
export interface Reporter {
  readonly debug: ((text: string) => void) | undefined;
  report(code: SluiceErrorCode, message: string, more?: Omit<SluiceError, 'code' | 'message'>): void;
  /** Runs work of the store. Resolves with undefined if it fails, which is reported. */
  storing<T>(work: () => MaybePromise<T>): Promise<T | undefined>;
  /** Reports a failing store only once until it works again, because it can fail at every message. */
  storageFailed(cause: unknown): void;
  storageWorks(): void;
}

export function createReporter(
  errorHandler: ((error: SluiceError) => void) | undefined,
  giveUp: (count: number) => void,
  debug: Reporter['debug'],
): Reporter {
  let hasStorageFailed = false;
  function report(code: SluiceErrorCode, message: string, more?: Omit<SluiceError, 'code' | 'message'>): void {
    debug?.(`${code}: ${message}`);
    if (more?.count) giveUp(more.count);
    // A handler that throws must not stop the queue.
    attempt(() => errorHandler?.({ code, message, ...more }));
  }
  const storageFailed = (cause: unknown): void => {
    if (!hasStorageFailed) report('storage', 'the store failed', { count: 0, cause });
    hasStorageFailed = true;
  };
  return {
    debug,
    report,
    storageFailed,
    async storing(work) {
      try {
        return await work();
      } catch (error) {
        storageFailed(error);
        return undefined;
      }
    },
    storageWorks() {
      hasStorageFailed = false;
    },
  };
}
