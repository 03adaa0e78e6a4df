import { attempt } from './attempt.js';
import { type Identity } from './identity.js';
import { type ClientOptions } from './options.js';
import { type MaybePromise } from './ports.js';
import { type SluiceError, type SluiceErrorCode } from './sluice-error.js';

type Details = Omit<SluiceError, 'code' | 'message'>;

/** Reports errors to the integrator and counts messages that were given up. */
export class Reporter {
  readonly debug: ((text: string) => void) | undefined;
  readonly #errorHandler: ((error: SluiceError) => void) | undefined;
  readonly #identity: Identity;
  /** True from a failure of the store until it works again: it can fail at every message. */
  #hasStorageFailed = false;

  constructor({ errorHandler, debug }: ClientOptions, identity: Identity, log: ((text: string) => void) | undefined) {
    this.#errorHandler = errorHandler;
    this.#identity = identity;
    this.debug = debug ? log : undefined;
  }

  report(code: SluiceErrorCode, message: string, details?: Details): void {
    this.debug?.(`${code}: ${message}`);
    if (details?.count) this.#identity.countLost(details.count);
    const errorHandler = this.#errorHandler;
    // A handler that throws must not stop the queue.
    attempt(() => errorHandler?.({ code, message, ...details }));
  }

  /** Runs work of the store. Resolves with undefined if it fails, which is reported. */
  async storing<T>(work: () => MaybePromise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.storageFailed(error);
      return undefined;
    }
  }

  /** Reports a failing store once until it works again. */
  storageFailed(cause: unknown): void {
    if (!this.#hasStorageFailed) this.report('storage', 'the store failed', { count: 0, cause });
    this.#hasStorageFailed = true;
  }

  storageWorks(): void {
    this.#hasStorageFailed = false;
  }
}
