import { expect, it } from 'vitest';
import { AcceptedCounts } from './accepted-counts.js';

it('keeps the time at which messages were accepted, and reports that the process was running', () => {
  const counts = new AcceptedCounts();
  counts.add('shop', 2, 1_000);
  counts.add('shop', 3, 4_999);
  counts.add('app', 1, 5_000);

  expect(counts.take(4_999)).toEqual([]);
  expect(counts.take(20_001)).toEqual([
    { source: '', messages: 0, time: 0 },
    { source: 'shop', messages: 5, time: 0 },
    { source: '', messages: 0, time: 5_000 },
    { source: 'app', messages: 1, time: 5_000 },
  ]);
  expect(counts.take(20_001)).toEqual([]);
  counts.touch(20_001);
  expect(counts.take(25_000)).toEqual([{ source: '', messages: 0, time: 20_000 }]);
});

it('loses no message, and keeps a bounded number of counts, through a long outage', () => {
  const counts = new AcceptedCounts();
  for (let second = 0; second < 3_000; second++)
    for (let source = 0; source < 20; source++) counts.add(`source ${source}`, 1, second * 1_000);

  let [messages, taken] = [0, 0];
  for (let part = counts.take(1e9); part.length > 0; part = counts.take(1e9)) {
    messages += part.reduce((sum, one) => sum + one.messages, 0);
    taken += part.length;
    if (part.length === 1 && part[0]?.messages === 0) break;
  }
  expect(messages).toBe(60_000);
  expect(taken).toBeLessThan(22_000);
});
