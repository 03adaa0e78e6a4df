import { expect, it } from 'vitest';
import { ConsoleError } from './console-error.js';
import { PerUser } from './per-user.js';

it('runs as many calls of one user at once as may be, and more when one has ended', async () => {
  const searches = new PerUser(3, 'three at once');
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<string>());
  const run = (index: number, id = 'ann'): Promise<string> =>
    searches.run({ id }, () => ends[index]?.promise ?? Promise.resolve('done'));

  const first = [0, 1, 2].map((index) => run(index));
  await expect(run(9)).rejects.toThrow(ConsoleError);
  expect(await run(9, 'bob')).toBe('done');

  ends[0]?.resolve('found');
  ends[1]?.reject(new Error('failed'));
  expect(await first[0]).toBe('found');
  await expect(first[1]).rejects.toThrow('failed');
  expect(await run(9)).toBe('done');
  ends[2]?.resolve('found');
  expect(await first[2]).toBe('found');
});
