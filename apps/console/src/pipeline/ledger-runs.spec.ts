import { expect, it } from 'vitest';
import { LedgerRuns } from './ledger-runs.js';

it('runs one at a time, and answers the same question once', async () => {
  const runs = new LedgerRuns<string>();
  let [active, max, count] = [0, 0, 0];
  const work = async (): Promise<string> => {
    count += 1;
    max = Math.max(max, ++active);
    await new Promise((resolve) => setTimeout(resolve, 10));
    active -= 1;
    return 'whole';
  };
  const asked = [runs.run('a', 'ann', work), runs.run('b', 'bob', work), runs.run('a', 'eve', work)];
  expect(() => runs.run('c', 'ann', work)).toThrow('running');
  expect(await Promise.all(asked)).toEqual(['whole', 'whole', 'whole']);
  expect(await runs.run('a', 'ann', work)).toBe('whole');
  expect([max, count]).toEqual([1, 2]);
});

it('forgets a run that failed, and lets the next one begin', async () => {
  const runs = new LedgerRuns<string>();
  await expect(runs.run('a', 'ann', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await runs.run('a', 'ann', () => Promise.resolve('whole'))).toBe('whole');
});

it('says how far a run is, and how many run before it', async () => {
  const runs = new LedgerRuns<string>();
  const gate = Promise.withResolvers<string>();
  const first = runs.run('a', 'ann', (onStep) => {
    onStep(2);
    return gate.promise;
  });
  const second = runs.run('b', 'bob', () => Promise.resolve('whole'));
  await Promise.resolve();
  expect(runs.readProgress('a')).toEqual({ state: 'running', ahead: 0, step: 2 });
  expect(runs.readProgress('b')).toEqual({ state: 'waiting', ahead: 1, step: 0 });
  expect(runs.readProgress('c').state).toBe('none');
  gate.resolve('whole');
  await Promise.all([first, second]);
  expect([runs.readProgress('a').state, runs.readProgress('b').state]).toEqual(['done', 'done']);
});
