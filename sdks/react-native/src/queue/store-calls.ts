import { type Clock, type MaybePromise } from '@sluice/sdk-core';
import { isPromise } from '../storage/steps.js';

/** Time after which a call of the store counts as hanging. */
const timeout = 10_000;

/** Makes calls of a store, and none while one hangs. */
export class StoreCalls {
  /** A call that has not ended in time. It could still take effect after a later one. */
  private hanging: Promise<unknown> | undefined;

  constructor(
    private readonly clock: Pick<Clock, 'later'>,
    /** Called when a call that hung has ended. */
    private readonly resumed: () => void,
  ) {}

  /** @throws if a call hangs */
  make<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    if (this.hanging) throw new Error('the store does not answer');
    const answer = work();
    if (!isPromise(answer)) return answer;
    return new Promise<T>((resolve, reject) => {
      const cancel = this.clock.later(timeout, () => {
        this.waitFor(answer);
        reject(new Error('the store does not answer'));
      });
      answer.then(
        (value) => {
          cancel();
          resolve(value);
        },
        (error: unknown) => {
          cancel();
          reject(asError(error));
        },
      );
    });
  }

  private waitFor(answer: Promise<unknown>): void {
    this.hanging = answer;
    const goOn = (): void => {
      this.hanging = undefined;
      this.resumed();
    };
    answer.then(goOn, goOn);
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
