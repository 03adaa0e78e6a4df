import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type CatalogRecord } from './read-records.js';
import { sendInOrder } from './send-in-order.js';

async function* records(...ids: (string | undefined)[]): AsyncGenerator<CatalogRecord> {
  for (const [index, id] of ids.entries()) {
    await Promise.resolve();
    yield { line: index + 1, json: `${index + 1}`, id };
  }
}

const stored = { stored: true, problems: [] };

it('sends the given number of records at a time, and settles them in the order of the file', async () => {
  let underWay = 0;
  let most = 0;
  const settled: number[] = [];
  await sendInOrder(records('a', 'b', 'c', 'd', 'e', 'f', undefined, undefined), {
    send: async (json) => {
      most = Math.max(most, ++underWay);
      await sleep(Number(json) % 3 === 0 ? 1 : 20);
      underWay -= 1;
      return stored;
    },
    parallel: 3,
    settled: ({ line }) => void settled.push(line),
  });

  expect(settled).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(most).toBe(3);
});

it('never has two pending records of one entity', async () => {
  const events: string[] = [];
  await sendInOrder(records('a', 'b', 'a', 'c', 'a'), {
    send: async (json) => {
      events.push(`sent ${json}`);
      await sleep(10);
      events.push(`answered ${json}`);
      return stored;
    },
    parallel: 10,
    settled: () => undefined,
  });

  for (const [before, after] of [
    [1, 3],
    [3, 5],
  ] as const) {
    expect(events.indexOf(`answered ${before}`)).toBeLessThan(events.indexOf(`sent ${after}`));
  }
});

it('ends with the first failure, with all records before it settled and none after it', async () => {
  const settled: number[] = [];
  const sending = sendInOrder(records('a', 'b', 'c', 'd'), {
    send: (json) => (json === '3' ? Promise.reject(new Error('down')) : Promise.resolve(stored)),
    parallel: 4,
    settled: ({ line }) => void settled.push(line),
  });

  await expect(sending).rejects.toThrow('down');
  expect(settled).toEqual([1, 2]);
});
