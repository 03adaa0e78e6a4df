import { type SluiceError } from './sluice-error.js';

/** Reports errors to the integrator and counts messages that were given up. */
export class Reporter {
  private hasStorageFailed = false;

  constructor(
    private readonly errorHandler: ((error: SluiceError) => void) | undefined,
    private readonly giveUp: (count: number) => void,
    readonly debug: (text: string) => void,
  ) {}

  report(error: SluiceError): void {
    this.debug(`${error.code}: ${error.message}`);
    if (error.count) this.giveUp(error.count);
    try {
      this.errorHandler?.(error);
    } catch {
      // A handler that throws must not stop the queue.
    }
  }

  /** Reports a failing store only once until it works again, because it can fail at every message. */
  storageFailed(cause: unknown): void {
    if (!this.hasStorageFailed)
      this.report({ code: 'storage', message: 'messages are kept in memory', count: 0, cause });
    this.hasStorageFailed = true;
  }

  storageWorks(): void {
    this.hasStorageFailed = false;
  }
}
