import { expect, it } from 'vitest';
import { judgeEvents } from './judge-events.js';
import { addUpHours, neededHours } from './series.js';

/** Eight events with days and nights; each keeps its part of what it had in the last four hours. */
function aSource(parts: readonly number[]) {
  return parts.map((part, index) => ({
    source: 'Source',
    event: `event_${index}`,
    totals: addUpHours(
      Array.from({ length: neededHours }, (_, hour) => {
        const messages = 105 - 40 * Math.cos((hour / 24) * 2 * Math.PI) + ((hour * (index + 3)) % 7);
        return Math.round(messages * (neededHours - hour <= 4 ? part : 1));
      }),
    ),
  }));
}

const findKinds = (parts: readonly number[]): string[] =>
  judgeEvents(aSource(parts)).findings.map(({ event, kind }) => `${event} ${kind}`);

it.each([
  ['one', [1, 0, 1, 1, 1, 1, 1, 1], ['event_1 stopped']],
  ['two', [1, 0, 1, 0.2, 1, 1, 1, 1], ['event_1 stopped', 'event_3 fell']],
  ['three', [0.3, 0, 1, 0.2, 1, 1, 1, 1], ['event_0 fell', 'event_1 stopped', 'event_3 fell']],
] as const)('finds %s of eight events that changed together', (_, parts, kinds) => {
  expect(findKinds(parts)).toEqual(kinds);
});

it.each([
  ['all fall', [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]],
  ['each falls by its own part, as on a holiday', [0.3, 0.6, 0.45, 0.35, 0.5, 0.4, 0.55, 0.38]],
  ['nothing changes', [1, 1, 1, 1, 1, 1, 1, 1]],
])('finds nothing when %s', (_, parts) => {
  expect(findKinds(parts)).toEqual([]);
});
