import { type MaybePromise } from '@sluice/sdk-core';

/** Work in steps; each `yield* wait(…)` is one. */
export type Steps<T> = Generator<unknown, T, unknown>;

/** The value, now if the store is synchronous, else when its promise resolves. A rejection is thrown at this place. */
export function* wait<T>(value: MaybePromise<T>): Steps<T> {
  return (yield value) as T;
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** Runs the steps, synchronously if none is a promise: the same code serves both kinds of stores. */
export function runSteps<T>(steps: Steps<T>): MaybePromise<T> {
  const go = (step: IteratorResult<unknown, T>): MaybePromise<T> => {
    let current = step;
    while (current.done !== true) {
      const { value } = current;
      if (isPromise(value)) {
        return value.then(
          (settled) => go(steps.next(settled)),
          (error: unknown) => go(steps.throw(error)),
        );
      }
      current = steps.next(value);
    }
    return current.value;
  };
  return go(steps.next());
}
