import { expect, it, vi } from 'vitest';
import { drain } from './drain.js';

it('waits until nothing is left, or nothing becomes less, and says what is left', async () => {
  const say = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let left = 1;
  expect(await drain(() => left--, { what: 'batches', timeoutMs: 60_000 })).toBe(0);
  expect(say).toHaveBeenLastCalledWith(expect.stringMatching(/^0 batches still wait after \d+ s$/));
  expect(await drain(() => 3, { what: 'phones', timeoutMs: 0 })).toBe(3);
  expect(say).toHaveBeenLastCalledWith(expect.stringMatching(/^3 phones still wait after \d+ s$/));
});
