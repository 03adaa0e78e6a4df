import { setTimeout as wait } from 'node:timers/promises';

export interface Backoff {
  /** Pause after the first failure; each further failure doubles it. 100 when left out. */
  readonly firstPauseMs?: number;
  /** Upper bound of a pause. 2,000 when left out. */
  readonly maxPauseMs?: number;
}

/** A failed attempt that another one will follow. */
export interface Failure {
  readonly error: unknown;
  /** Failed attempts so far, this one included. */
  readonly failures: number;
  /** Time until the next attempt. */
  readonly pauseMs: number;
}

export interface RetryOptions extends Backoff {
  /** Time from the start of the first attempt within which another can begin. Without it there is no limit. */
  readonly forMs?: number;
  /** Ends the pauses and prevents further attempts; an attempt under way goes on. */
  readonly signal?: AbortSignal;
  /** Says whether another attempt can succeed after this error. Without it, every error is retried. */
  readonly while?: (error: unknown) => boolean;
  /** Lower bound of the pause after this error, such as a Retry-After header. */
  readonly minMs?: (error: unknown) => number;
  /** Called before each pause. */
  readonly onFailure?: (failure: Failure) => void;
  /** Replaces the timer: rejects when the signal is aborted, as `node:timers/promises` does. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

/** Pause after a number of failures: exponential, with random jitter of up to half, so that clients spread out. */
export function backoffMs(failures: number, { firstPauseMs = 100, maxPauseMs = 2_000 }: Backoff = {}): number {
  const whole = Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs);
  return Math.round(whole * (0.5 + Math.random() / 2));
}

/**
 * Repeats the work until it succeeds. The signal is checked in the tick in which each attempt begins.
 * @param work gets the number of failed attempts before this one.
 * @throws the error of the last attempt when no other can follow; the reason of the signal once that is aborted.
 */
export async function retry<T>(work: (failures: number) => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { forMs = Infinity, signal, onFailure, sleep = abortableSleep } = options;
  const endAt = performance.now() + forMs;
  for (let failures = 0; ;) {
    signal?.throwIfAborted();
    try {
      return await work(failures);
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      const pauseMs = Math.max(backoffMs(failures, options), options.minMs?.(error) ?? 0);
      const isLast = !(options.while?.(error) ?? true) || performance.now() + pauseMs > endAt;
      if (isLast) throw error;
      onFailure?.({ error, failures, pauseMs });
      await sleep(pauseMs, signal).catch((reason: unknown) => {
        signal?.throwIfAborted();
        throw reason;
      });
    }
  }
}

const abortableSleep = (ms: number, signal: AbortSignal | undefined): Promise<unknown> =>
  wait(ms, undefined, signal && { signal });
