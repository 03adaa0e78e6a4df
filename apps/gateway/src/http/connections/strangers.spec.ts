import { Socket } from 'node:net';
import { beforeEach, expect, it, vi } from 'vitest';
import { type Closed, maySend, markKnown, Strangers } from './strangers.js';

let closed: Closed[] = [];
beforeEach(() => {
  closed = [];
});

const aSet = (maxConnections: number): Strangers => new Strangers(maxConnections, (which) => closed.push(which));

function open(strangers: Strangers, { source, isIdle = true }: { source?: string; isIdle?: boolean } = {}): Socket {
  const socket = new Socket();
  strangers.add(socket, () => isIdle);
  if (source !== undefined) markKnown(socket, source);
  return socket;
}
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

it('closes the oldest idle connection without a valid key first', () => {
  const strangers = aSet(3);
  const [busy, known, idle] = [open(strangers, { isIdle: false }), open(strangers, { source: 'a' }), open(strangers)];
  const newcomer = open(strangers);
  expect([busy, known, idle, newcomer].map(({ destroyed }) => destroyed)).toEqual([false, false, true, false]);
  expect(closed).toEqual(['stranger']);
});

it('a source has the privilege for a quarter of the connections, those it used last', () => {
  const strangers = aSet(8);
  const greedy = times(8, () => open(strangers, { source: 'greedy' }));
  for (let i = 0; i < 6; i++) open(strangers, { source: `source-${i}` });
  expect(greedy.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true, true, true, false, false]);
  expect(closed).toEqual(Array(6).fill('stranger'));
});

it('closes, when no stranger is left, the longest unused connection of the source with the most', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const strangers = aSet(8);
  open(strangers, { source: 'a' });
  const pairs = times(3, () => open(strangers, { source: 'b' }));
  times(2, () => open(strangers, { source: 'c' }));
  times(2, () => open(strangers, { source: 'd' }));
  vi.advanceTimersByTime(2_000);
  markKnown(pairs[1] ?? new Socket(), 'b');
  vi.useRealTimers();
  // The first of the three is a stranger again.
  open(strangers, { source: 'e' });
  open(strangers, { source: 'f' });
  expect(pairs.map(({ destroyed }) => destroyed)).toEqual([true, false, true]);
  expect(closed).toEqual(['stranger', 'known']);
});

it('without an idle connection, newcomers may ask for the health and nothing else', () => {
  const strangers = aSet(2);
  times(2, () => open(strangers, { isIdle: false }));
  const [checking, asking] = [open(strangers), open(strangers)];
  expect([maySend(checking, true), maySend(asking, false)]).toEqual([true, false]);
  expect([checking.destroyed, asking.destroyed]).toEqual([false, true]);
  times(16, () => open(strangers));
  expect(checking.destroyed).toBe(true);
  expect(closed).toEqual(['newcomer', 'newcomer']);
});

it('has room again when connections close', async () => {
  const strangers = aSet(2);
  const [one] = times(2, () => open(strangers, { source: 'a', isIdle: false }));
  one?.destroy();
  await vi.waitFor(() => expect(maySend(open(strangers), false)).toBe(true), 30_000);
});
