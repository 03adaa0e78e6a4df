import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.js';

/** Takes turns and remembers which began. */
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

it('gives turns in the order of the line, and again to the next when one ends', async () => {
  const takers = new Takers(new Turns({ atOnce: 2, perTopic: 2 }));
  await takers.take('a1', 'b1', 'a2', 'b2');
  expect(takers.begun).toEqual(['a1', 'b1']);
  await takers.end('a1');
  await takers.end('a1');
  expect(takers.begun).toEqual(['a1', 'b1', 'a2']);
});

it('keeps a turn free of the topic that has most', async () => {
  const takers = new Takers(new Turns({ atOnce: 3, perTopic: 2 }));
  await takers.take('a1', 'a2', 'a3', 'b1', 'b2');
  expect(takers.begun).toEqual(['a1', 'a2', 'b1']);
  await takers.end('b1');
  expect(takers.begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  await takers.end('a2');
  expect(takers.begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
});

it('lets others begin when all turns are slow, but no more of the same topics', async () => {
  const takers = new Takers(new Turns({ atOnce: 2, perTopic: 1, slowMs: 30 }));
  await takers.take('a1', 'b1', 'a2', 'c1', 'd1', 'e1');
  expect(takers.begun).toEqual(['a1', 'b1']);
  await sleep(60);
  expect(takers.begun.slice(0, 4)).toEqual(['a1', 'b1', 'c1', 'd1']);
  expect(takers.begun).not.toContain('a2');
});
