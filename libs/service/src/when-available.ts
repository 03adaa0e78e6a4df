import { Logger } from '@nestjs/common';
import { errorCode } from './error-code.js';
import { firstLine } from './first-line.js';
import { type Health } from './health.js';
import { type Backoff, retry } from './retry.js';

const pauses: Backoff = { firstPauseMs: 250, maxPauseMs: 10_000 };
const logAgainAfterMs = 60_000;
const maxLength = 300;

const logger = new Logger('Start');

/** The parts of a Service that a step of the start needs in order to wait. */
export interface Starting {
  readonly health: Health;
  /** Aborted when the process was asked to stop. */
  readonly stopping: AbortSignal;
}

/**
 * Repeats a step of the start until it succeeds, because a server may be down for hours. Until then readiness fails and
 * says what the process waits for, and the log says so at most once a minute.
 * @param server names the server for people and in the health details, such as `clickhouse`.
 * @param isFinal true if waiting cannot help, so that the error is thrown.
 * @throws the reason of `stopping` at once when that is aborted, although the attempt under way goes on.
 */
export async function whenAvailable<T>(
  { health, stopping }: Starting,
  server: string,
  work: () => Promise<T>,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  let loggedAt = -Infinity;
  let reason = 'not tried yet';
  const check = (): never => {
    throw new Error(`waiting for ${server}: ${reason}`);
  };
  health.ready.set(server, check);
  const onFailure = ({ error }: { error: unknown }): void => {
    reason = describeReason(error);
    if (performance.now() - loggedAt < logAgainAfterMs) return;
    loggedAt = performance.now();
    logger.warn({ msg: `waiting for ${server}`, reason });
  };
  const attempts = retry(work, { ...pauses, signal: stopping, onFailure, while: (error) => !isFinal(error) });
  try {
    return await untilAborted(attempts, stopping);
  } finally {
    if (health.ready.get(server) === check) health.ready.delete(server);
  }
}

/** Code and first line of an error. An AggregateError, such as for all addresses of a name, has no text of its own. */
function describeReason(error: unknown): string {
  const [{ message }, code] = [error as Error, errorCode(error)];
  const text = firstLine(typeof message === 'string' ? message : '');
  return (text.includes(code) || text === '' ? text || code : `${code}: ${text}`).slice(0, maxLength);
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', abort);
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
