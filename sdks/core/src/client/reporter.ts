import { attempt } from '../ports/attempt.js';
import { type Identity } from './identity.js';
import { type ClientOptions } from './options.js';
import { type MaybePromise } from '../ports/ports.js';
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
    this.#handle({ code, message, ...details });
  }

  /** Reports messages that a denial of consent has erased. They count as nothing lost: the ids are erased as well. */
  erased(count: number): void {
    if (count > 0) this.#handle({ code: 'denied', message: 'erased what waited', count });
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

  #handle(error: SluiceError): void {
    const errorHandler = this.#errorHandler;
    // A handler that throws must not stop the queue.
    attempt(() => errorHandler?.(error));
  }
}
