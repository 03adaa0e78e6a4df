import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backoffMs, type Failure, retry } from './retry.js';

/** Work that fails with these errors in turn, then returns `done`. */
const failing = (...errors: Error[]) => {
  const failuresBefore: number[] = [];
  const work = (failures: number): Promise<string> => {
    failuresBefore.push(failures);
    const error = errors.shift();
    return error ? Promise.reject(error) : Promise.resolve('done');
  };
  return { work, failuresBefore };
};
const quick = { firstPauseMs: 1, maxPauseMs: 2 };

describe('retry', () => {
  it('returns the result of the first attempt that succeeds', async () => {
    const { work, failuresBefore } = failing(new Error('one'), new Error('two'));
    await expect(retry(work, quick)).resolves.toBe('done');
    expect(failuresBefore).toEqual([0, 1, 2]);
  });

  it('throws an error for which the predicate is false, without another attempt', async () => {
    const { work, failuresBefore } = failing(new Error('transient'), new TypeError('permanent'), new Error('unused'));
    const attempt = retry(work, { ...quick, while: (error) => !(error instanceof TypeError) });
    await expect(attempt).rejects.toThrow('permanent');
    expect(failuresBefore).toEqual([0, 1]);
  });

  it('throws the last error when the next attempt would begin after the time limit', async () => {
    const { work, failuresBefore } = failing(new Error('one'), new Error('two'));
    await expect(retry(work, { forMs: 0 })).rejects.toThrow('one');
    expect(failuresBefore).toEqual([0]);
  });

  it('reports each failure with the pause that follows it', async () => {
    const { work } = failing(new Error('a'), new Error('b'));
    const reported: Failure[] = [];
    const sleeps: number[] = [];
    await retry(work, {
      onFailure: (failure) => reported.push(failure),
      sleep: (ms) => Promise.resolve(sleeps.push(ms)),
    });
    expect(reported.map(({ error, failures }) => ({ error, failures }))).toEqual([
      { error: new Error('a'), failures: 1 },
      { error: new Error('b'), failures: 2 },
    ]);
    expect(reported.map(({ pauseMs }) => pauseMs)).toEqual(sleeps);
  });

  it('pauses at least as long as the error asks', async () => {
    const { work } = failing(new Error('a'));
    const sleeps: number[] = [];
    await retry(work, { ...quick, minMs: () => 30, sleep: (ms) => Promise.resolve(sleeps.push(ms)) });
    expect(sleeps).toEqual([30]);
  });

  it('begins no attempt once the signal is aborted, and rejects with its reason', async () => {
    const { work, failuresBefore } = failing();
    await expect(retry(work, { signal: AbortSignal.abort('over') })).rejects.toBe('over');
    expect(failuresBefore).toEqual([]);
  });

  it('rejects with the reason of the signal when that is aborted during a pause', async () => {
    const stopping = new AbortController();
    const { work, failuresBefore } = failing(new Error('one'), new Error('two'));
    const pausing = retry(work, {
      firstPauseMs: 60_000,
      maxPauseMs: 60_000,
      signal: stopping.signal,
      onFailure: () => setImmediate(() => stopping.abort('over')),
    });
    await expect(pausing).rejects.toBe('over');
    expect(failuresBefore).toEqual([0]);
  });

  it('rejects with the reason of the signal when that is aborted during an attempt that fails', async () => {
    const stopping = new AbortController();
    const work = () => {
      stopping.abort('over');
      return Promise.reject(new Error('one'));
    };
    await expect(retry(work, { signal: stopping.signal })).rejects.toBe('over');
  });

  it('returns the result of an attempt during which the signal was aborted', async () => {
    const stopping = new AbortController();
    const work = () => {
      stopping.abort('over');
      return Promise.resolve('done');
    };
    await expect(retry(work, { signal: stopping.signal })).resolves.toBe('done');
  });
});

describe('the time limit of retry', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('does not end because the wall clock was set forward', async () => {
    const { work } = failing(new Error('one'));
    const sleep = () => {
      vi.setSystemTime(Date.now() + 3_600_000);
      return Promise.resolve();
    };
    await expect(retry(work, { ...quick, forMs: 60_000, sleep })).resolves.toBe('done');
  });
});

describe('backoffMs', () => {
  it('doubles up to its upper bound, less a random part of up to half', () => {
    const backoff = { firstPauseMs: 100, maxPauseMs: 1_000 };
    for (const [index, whole] of [100, 200, 400, 800, 1_000, 1_000].entries()) {
      for (let n = 0; n < 50; n++) {
        const pauseMs = backoffMs(index + 1, backoff);
        expect(pauseMs).toBeGreaterThanOrEqual(whole / 2);
        expect(pauseMs).toBeLessThanOrEqual(whole);
      }
    }
  });

  it('stays at its upper bound however many attempts failed', () =>
    expect(backoffMs(5_000, { maxPauseMs: 1_000 })).toBeLessThanOrEqual(1_000));
});
