import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CompileQueue } from './compile-queue.js';
import { CompiledShape } from './compiled-shape.js';
import { type ObjectShape } from './plan.js';

const shape: ObjectShape = { properties: { total: { type: 'number' } }, required: ['total'] };

it('judges alike before and after an event is compiled, which happens once', async () => {
  let compiled = 0;
  const compile = () => (properties: object) => 'total' in properties;
  const event = new CompiledShape(shape, () => (compiled++, compile()), new CompileQueue());
  const judged = (): boolean[] => [{ total: 1 }, { sum: 1 }].map((sent) => event.accepts(sent));
  expect([judged(), judged(), compiled]).toEqual([[true, false], [true, false], 0]);
  await expect.poll(() => compiled).toBe(1);
  expect([judged(), compiled]).toEqual([[true, false], 1]);
});

it('leaves the loop nine tenths of its time', async () => {
  const queue = new CompileQueue();
  const ends: number[] = [];
  const workMs = 5;
  for (let n = 0; n < 3; n++) {
    queue.add(() => {
      const end = performance.now() + workMs;
      while (performance.now() < end);
      ends.push(performance.now());
    });
  }
  await expect.poll(() => ends.length).toBe(3);
  const [first = 0, second = 0, third = 0] = ends;
  // A timer may be a millisecond early.
  expect(second - first).toBeGreaterThanOrEqual(10 * workMs - 1);
  expect(third - second).toBeGreaterThanOrEqual(10 * workMs - 1);
});

it('takes no more than 256, and more when it has done some', async () => {
  const queue = new CompileQueue();
  let done = 0;
  const added = Array.from({ length: 300 }, () => queue.add(() => done++));
  expect(added.filter(Boolean)).toHaveLength(256);
  await expect.poll(() => done).toBeGreaterThan(0);
  expect(queue.add(() => undefined)).toBe(true);
});

it('throws at each use what compiling has thrown', async () => {
  const event = new CompiledShape(
    shape,
    () => {
      throw new Error('no code');
    },
    new CompileQueue(),
  );
  expect(event.accepts({ total: 1 })).toBe(true);
  await sleep(20);
  expect(() => event.accepts({ total: 1 })).toThrow('no code');
  expect(() => event.accepts({ total: 1 })).toThrow('no code');
});
