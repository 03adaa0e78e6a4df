import { expect, it } from 'vitest';
import { isGood, outcomeOf } from './report.js';

const faults = new Map([['cut after', 3]]);

/** A device that took three messages: two were in a file when it was killed, one was not. */
function aDevice(changes: Partial<Parameters<typeof outcomeOf>[0][number]['device']> = {}, stored = [1, 2]) {
  return {
    device: {
      kills: 1,
      told: new Set([1, 2, 3]),
      onDisk: new Set([1, 2]),
      unfinished: 1,
      damaged: 0,
      reports: ['UNAUTHORIZED null no'],
      ...changes,
    },
    arrivals: { stored: new Map(stored.map((number) => [number, 1])), torn: 0, changed: 0, requests: 2 },
  };
}

it('a run is good if what was in a file is stored once', () => {
  const outcome = outcomeOf([aDevice()], faults, 0);
  expect(outcome).toMatchObject({ lost: 0, doubled: 0, inMemory: 1, stored: 2 });
  expect(isGood(outcome)).toBe(true);
});

it.each([
  ['a message of a file that was not stored', [aDevice({}, [1])], 0],
  ['a damaged file', [aDevice({ damaged: 1 })], 0],
  ['a report of a loss', [aDevice({ reports: ['STORAGE 1 damaged'] })], 0],
  ['a batch that could not be sent', [aDevice()], 1],
  [
    'a message that was stored twice',
    [{ ...aDevice(), arrivals: { ...aDevice().arrivals, stored: new Map([[1, 2]]) } }],
    0,
  ],
  ['a torn batch', [{ ...aDevice(), arrivals: { ...aDevice().arrivals, torn: 1 } }], 0],
  ['a batch with other bytes', [{ ...aDevice(), arrivals: { ...aDevice().arrivals, changed: 1 } }], 0],
  ['nothing in any file', [aDevice({ onDisk: new Set() })], 0],
])('a run is bad with %s', (_, devices, left) => {
  expect(isGood(outcomeOf(devices, faults, left))).toBe(false);
});
