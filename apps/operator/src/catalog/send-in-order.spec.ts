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

const outcomesOf = (batch: readonly CatalogRecord[]) => batch.map(() => ({ stored: true, problems: [] }));
const numbered = (count: number) => records(...Array.from({ length: count }, (_, i) => `e${i}`));

it('sends the given number of batches at a time, and settles their records in the order of the file', async () => {
  let underWay = 0;
  let maxParallel = 0;
  const settled: number[] = [];
  await sendInOrder(numbered(750), {
    send: async (batch) => {
      maxParallel = Math.max(maxParallel, ++underWay);
      await sleep(Number(batch[0]?.line) % 200 === 1 ? 1 : 20);
      underWay -= 1;
      return outcomesOf(batch);
    },
    maxParallelBatches: 3,
    onSettled: ({ line }) => void settled.push(line),
  });

  expect(settled).toEqual(Array.from({ length: 750 }, (_, i) => i + 1));
  expect(maxParallel).toBe(3);
});

it('bounds the bytes of a batch, and sends a larger record alone', async () => {
  async function* large(): AsyncGenerator<CatalogRecord> {
    for (const [index, bytes] of [150_000, 150_000, 150_000, 450_000, 1].entries()) {
      await Promise.resolve();
      yield { line: index + 1, json: 'x'.repeat(bytes), id: `${index}` };
    }
  }
  const batches: number[][] = [];
  await sendInOrder(large(), {
    send: (batch) => {
      batches.push(batch.map(({ line }) => line));
      return Promise.resolve(outcomesOf(batch));
    },
    maxParallelBatches: 2,
    onSettled: () => undefined,
  });
  expect(batches).toEqual([[1, 2], [3], [4], [5]]);
});

it('never has two pending batches with one entity, and keeps the order of its records', async () => {
  const ids = Array.from({ length: 2_000 }, (_, i) => (i % 7 === 0 ? 'often' : `e${(i * 31) % 450}`));
  const pending = new Set<string>();
  const arrived = new Map<string, number>();
  await sendInOrder(records(...ids), {
    send: async (batch) => {
      const batchIds = new Set(batch.map(({ id }) => id ?? ''));
      for (const id of batchIds) {
        expect(pending.has(id)).toBe(false);
        pending.add(id);
      }
      await sleep(Math.random() * 4);
      for (const { id, line } of batch) {
        expect(line).toBeGreaterThan(arrived.get(id ?? '') ?? 0);
        arrived.set(id ?? '', line);
      }
      for (const id of batchIds) pending.delete(id);
      return outcomesOf(batch);
    },
    maxParallelBatches: 10,
    onSettled: () => undefined,
  });
  expect(arrived.get('often')).toBe(1_996);
});

it('ends with the first failure, with all records before its batch settled and none after it', async () => {
  const settled: number[] = [];
  const sending = sendInOrder(numbered(400), {
    send: (batch) => (batch[0]?.line === 201 ? Promise.reject(new Error('down')) : Promise.resolve(outcomesOf(batch))),
    maxParallelBatches: 4,
    onSettled: ({ line }) => void settled.push(line),
  });

  await expect(sending).rejects.toThrow('down');
  expect(settled).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
});
