import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Versions } from './catalog/state-versions.js';
import { FailureLog } from './http/answering/failure-log.js';
import { RateLimit, makeRate } from './limits/rate-limit.js';
import { DrainRate } from './spool/drain-rate.js';
import { steadyNow } from './spool/steady-clock.js';

// Only the wall clock is set; the monotonic clock continues.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const hourMs = 3_600_000;
const turn = (byMs: number) => {
  vi.setSystemTime(Date.now() + byMs);
};

describe.each([
  ['back', -hourMs],
  ['forward', hourMs],
])('a wall clock that is set %s an hour', (_, byMs) => {
  it('gives no source more or fewer requests', () => {
    // A busy machine may take longer for eleven calls than a source waits for its next request.
    vi.spyOn(performance, 'now').mockReturnValue(5_000);
    const limit = new RateLimit(() => makeRate(10));
    for (let i = 0; i < 10; i++) expect(limit.take('a')).toBe(0);
    turn(byMs);
    const waitMs = limit.take('a');
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(100);
    limit.takenElsewhere('b', 10);
    turn(-byMs);
    expect(limit.take('b')).toBeLessThanOrEqual(100);
  });

  it("changes neither the drain rate of the spool nor a client's retry time", () => {
    const rate = new DrainRate();
    rate.add(500);
    turn(byMs);
    rate.add(500);
    expect(rate.perSecond).toBeGreaterThan(100);
    expect(rate.secondsToFree(10_000)).toBeLessThan(30);
  });

  it('does not change the age of waiting messages', () => {
    const at = steadyNow();
    turn(byMs);
    expect(steadyNow() - at).toBeGreaterThanOrEqual(0);
    expect(steadyNow() - at).toBeLessThan(hourMs / 10);
  });

  it('does not allow more log lines of failures', () => {
    const lines: unknown[] = [];
    const log = new FailureLog({ warn: (line) => lines.push(line), error: (line) => lines.push(line) });
    const failures = (count: number): void => {
      for (let i = 0; i < count; i++)
        log.write({ requestId: 'id', route: '/track', status: 503, error: new Error('x') });
    };
    vi.spyOn(performance, 'now').mockReturnValue(5_000);
    failures(20);
    turn(byMs);
    failures(20);
    expect(lines).toHaveLength(10);
  });

  it('gives every later message of the catalog a later version', () => {
    const versions = new Versions();
    const before = versions.next();
    turn(byMs);
    const after = versions.next();
    turn(-byMs);
    expect(after).toBeGreaterThan(before);
    expect(versions.next()).toBeGreaterThan(after);
  });
});
