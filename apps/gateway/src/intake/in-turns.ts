import { type SourceRequest } from './source-request.js';

/**
 * Runs steps of the work on a request until one returns a result: the first at once, each other one in a later turn.
 * Each gets the time by `performance.now()` at which it should end, so that other requests are served.
 * @throws the error of the first step; rejects with that of a later one
 */
export function inTurns<T>({ turns }: SourceRequest, step: (until: number) => Promise<T> | undefined): Promise<T> {
  const nextStep = (): Promise<T> | undefined => step(performance.now() + turns.turnMs);
  const first = nextStep();
  if (first) return first;
  return new Promise((resolve, reject) => {
    const next = (): void => {
      try {
        const result = nextStep();
        if (result) resolve(result);
        else turns.continueIn(next);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    turns.continueIn(next);
  });
}
