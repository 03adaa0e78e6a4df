import { expect, it } from 'vitest';
import { LedgerRuns } from './ledger-runs.js';

it('runs one at a time, and answers the same question once', async () => {
  const runs = new LedgerRuns<string>();
  let [active, most, count] = [0, 0, 0];
  const work = async (): Promise<string> => {
    count += 1;
    most = Math.max(most, ++active);
    await new Promise((resolve) => setTimeout(resolve, 10));
    active -= 1;
    return 'whole';
  };
  const asked = [runs.run('a', 'ann', work), runs.run('b', 'bob', work), runs.run('a', 'eve', work)];
  expect(() => runs.run('c', 'ann', work)).toThrow('running');
  expect(await Promise.all(asked)).toEqual(['whole', 'whole', 'whole']);
  expect(await runs.run('a', 'ann', work)).toBe('whole');
  expect([most, count]).toEqual([1, 2]);
});

it('forgets a run that failed, and lets the next one begin', async () => {
  const runs = new LedgerRuns<string>();
  await expect(runs.run('a', 'ann', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await runs.run('a', 'ann', () => Promise.resolve('whole'))).toBe('whole');
});
