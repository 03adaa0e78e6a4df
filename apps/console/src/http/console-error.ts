import { type ApiProblem } from '@sluice/console-api';

/** An error of a request, as the browser sees it. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';

  constructor(
    readonly status: number,
    readonly problem: ApiProblem,
    /** Seconds after which a repeat makes sense. */
    readonly retryAfter?: number,
  ) {
    super(problem.message);
  }
}

export const notSignedIn = (): ConsoleError =>
  new ConsoleError(401, { code: 'not-signed-in', message: 'Sign in first.' });
export const notAllowed = (message: string): ConsoleError => new ConsoleError(403, { code: 'not-allowed', message });
export const invalid = (message: string): ConsoleError => new ConsoleError(400, { code: 'invalid', message });
export const notFound = (message: string): ConsoleError => new ConsoleError(404, { code: 'not-found', message });
export const conflict = (message: string): ConsoleError => new ConsoleError(409, { code: 'conflict', message });
export const tooMany = (message: string, retryAfter?: number): ConsoleError =>
  new ConsoleError(429, { code: 'too-many', message }, retryAfter);
export const misdirected = (): ConsoleError =>
  new ConsoleError(421, { code: 'misdirected', message: 'This console has another address.' });
export const unreachable = (server: 'kafka' | 'clickhouse' | 'gateway', message: string): ConsoleError =>
  new ConsoleError(503, { code: 'unreachable', message, server });
