import { type SourceRequest } from './source-request.js';

/** Time for parsing and reading items of a batch in one turn; other requests are served before the next items. */
export const sliceMs = 4;

/**
 * Runs steps of the work on a request until one returns a result: the first at once, each other one in a later turn.
 * @throws the error of the first step; rejects with that of a later one
 */
export function inTurns<T>({ turns }: SourceRequest, step: () => Promise<T> | undefined): Promise<T> {
  const first = step();
  if (first) return first;
  return new Promise((resolve, reject) => {
    const next = (): void => {
      try {
        const result = step();
        if (result) resolve(result);
        else turns.continueIn(next);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    turns.continueIn(next);
  });
}
