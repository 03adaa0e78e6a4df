import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CanarySeries } from './canary-series.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-canary-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('numbers on after a kill, and counts the probe without an answer as in doubt', async () => {
  const first = await CanarySeries.open(folder);
  expect(await first.next(true)).toMatchObject({ number: 1, drained: 0, refused: '', in_doubt: '' });
  first.settle('accepted');
  await first.next(true);
  first.close();

  const second = await CanarySeries.open(folder);
  expect(await second.next(false)).toMatchObject({ number: 3, drained: 1, in_doubt: '2-2' });
  second.close();
});

it('reports ranges of refused probes until many accepted ones have reported them', async () => {
  const series = await CanarySeries.open(folder);
  for (const outcome of ['accepted', 'refused', 'refused', 'in_doubt', 'refused', 'accepted'] as const) {
    await series.next(true);
    series.settle(outcome);
  }
  expect(await series.next(true)).toMatchObject({ number: 7, drained: 6, refused: '2-3,5-5', in_doubt: '4-4' });
  series.settle('accepted');
  for (let number = 8; number <= 53; number++) {
    expect(await series.next(true)).toMatchObject({ number, refused: '2-3,5-5', in_doubt: '4-4' });
    series.settle('accepted');
  }
  expect(await series.next(true)).toMatchObject({ number: 54, refused: '', in_doubt: '' });
  series.close();
});

it('reports a bounded number of ranges: the oldest become one that is not judged', async () => {
  const series = await CanarySeries.open(folder);
  for (let number = 1; number <= 240; number++) {
    await series.next(false);
    series.settle(number % 2 === 1 && number > 20 ? 'accepted' : 'refused');
  }
  const properties = await series.next(false);
  expect(properties.refused.split(',').length + properties.in_doubt.split(',').length).toBeLessThanOrEqual(100);
  expect(JSON.stringify(properties).length).toBeLessThan(4_096);
  series.close();
});

it('is held by one process, and begins again in a new folder or after damage', async () => {
  const series = await CanarySeries.open(folder);
  await expect(CanarySeries.open(folder)).rejects.toThrow('another process holds the folder');
  const { series: name } = await series.next(true);
  series.close();

  await writeFile(join(folder, 'canary', 'series.json'), '{"series":');
  const next = await CanarySeries.open(folder);
  const properties = await next.next(true);
  expect(properties).toMatchObject({ number: 1 });
  expect(properties.series).not.toBe(name);
  next.close();
});
