import { expect, it, vi } from 'vitest';
import { waitUntilDrained } from './drain.js';

it('waits until nothing is left, or nothing becomes less, and says what is left', async () => {
  const say = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let remaining = 1;
  expect(await waitUntilDrained(() => remaining--, { noun: 'batches', timeoutMs: 60_000 })).toBe(0);
  expect(say).toHaveBeenLastCalledWith(expect.stringMatching(/^0 batches still wait after \d+ s$/));
  expect(await waitUntilDrained(() => 3, { noun: 'phones', timeoutMs: 0 })).toBe(3);
  expect(say).toHaveBeenLastCalledWith(expect.stringMatching(/^3 phones still wait after \d+ s$/));
});
