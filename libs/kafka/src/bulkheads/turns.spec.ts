import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.js';

/** Takes turns and records which began. */
class Takers {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly turns: Turns) {}

  async take(...names: string[]): Promise<void> {
    for (const name of names) {
      void this.turns.take(name[0] ?? '').then((end) => {
        this.begun.push(name);
        this.ends.set(name, end);
      });
    }
    await sleep(0);
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    await sleep(0);
  }
}

it('gives turns in the order of the line, and the next one whenever a turn ends', async () => {
  const takers = new Takers(new Turns({ atOnce: 2 }));
  await takers.take('a1', 'a2', 'a3', 'a4');
  expect(takers.begun).toEqual(['a1', 'a2']);
  await takers.end('a1');
  await takers.end('a1');
  expect(takers.begun).toEqual(['a1', 'a2', 'a3']);
});

it('gives a topic its first turn at once, however many the others have', async () => {
  const takers = new Takers(new Turns({ atOnce: 2 }));
  await takers.take('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
  expect(takers.begun).toEqual(['a1', 'a2', 'b1', 'c1']);
  await takers.end('b1');
  expect(takers.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'b2']);
  await takers.end('a1');
  expect(takers.begun).toHaveLength(5);
});

it('gives other topics more turns while some are slow, but not the slow topic', async () => {
  const takers = new Takers(new Turns({ atOnce: 2, slowMs: 30 }));
  await takers.take('a1', 'a2', 'a3', 'b1', 'b2', 'b3');
  expect(takers.begun).toEqual(['a1', 'a2', 'b1']);
  await sleep(60);
  expect(takers.begun).toEqual(['a1', 'a2', 'b1', 'b2']);
});
