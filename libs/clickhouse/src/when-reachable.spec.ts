import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenReachable } from './when-reachable.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('does not give up because the wall clock was set forward', async () => {
  let tried = 0;
  const result = await whenReachable(() => {
    tried += 1;
    if (tried > 1) return Promise.resolve('reached');
    vi.setSystemTime(Date.now() + 3_600_000);
    return Promise.reject(new Error('connect ECONNREFUSED'));
  });
  expect(result).toBe('reached');
});
