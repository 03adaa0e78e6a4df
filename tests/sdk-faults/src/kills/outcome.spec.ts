import { expect, it } from 'vitest';
import { gapsIn, ProcessLife } from './life.js';
import { listComplaints, type Observed, summarizeKills, formatVerdict } from './outcome.js';

const faults = new Map([['cut after', 3]]);
const tailMs = 3_000;

/** A process that took the messages 1 to 4, one each 100 ms, said to have written 1 and 2, and was killed at 500. */
function aLife(writtenNumbers = [1, 2], killedAt = 500): ProcessLife {
  const life = new ProcessLife();
  for (const number of [1, 2, 3, 4]) life.taken.push({ number, at: number * 100 });
  for (const number of writtenNumbers) life.written.add(number);
  life.killedAt = killedAt;
  return life;
}

/** A device with that process, of which the messages 1 and 2 were in a file when it was killed. */
function aDevice(device: Partial<Observed['device']> = {}, stored = [1, 2], seqs = [0, 1]): Observed {
  return {
    device: {
      kills: 1,
      lives: [aLife()],
      onDisk: new Set([1, 2]),
      unfinished: 1,
      damaged: 0,
      reports: ['UNAUTHORIZED null no'],
      ...device,
    },
    arrivals: {
      stored: new Map(stored.map((number) => [number, 1])),
      streams: new Map([['s', new Set(seqs)]]),
      torn: 0,
      changed: 0,
      requests: 2,
      devices: 1,
    },
  };
}

const outcome = (device: Observed, leftFiles = 0) => summarizeKills([device], { faults, left: leftFiles, tailMs });

it('a run is good if what was written is stored once, and says what the kills took', () => {
  const good = outcome(aDevice());
  expect(good).toMatchObject({
    taken: 4,
    lost: 0,
    late: 0,
    doubled: 0,
    tail: 2,
    maxTail: 2,
    tailMs: 200,
    stored: 2,
  });
  expect(listComplaints(good)).toEqual([]);
  expect(formatVerdict(good)).toContain('The kills took 2 messages (50%)');
});

it.each([
  ['a message of a file that was not stored', aDevice({}, [1])],
  ['a message that was written, and is in no file any more', aDevice({ lives: [aLife([1, 2, 3])] })],
  ['a message that was never written, before one that was', aDevice({}, [1, 2, 4])],
  ['every second message never written', aDevice({ onDisk: new Set([2, 4]), lives: [aLife([2, 4])] }, [2, 4])],
  ['messages that were not written for longer than the tail', aDevice({ lives: [aLife([1, 2], 3_500)] })],
  ['a gap in a stream', aDevice({}, [1, 2], [0, 2])],
  ['a message in a file that was neither reported nor stored', aDevice({ onDisk: new Set([1, 2, 9]) })],
  ['a damaged file', aDevice({ damaged: 1 })],
  ['a report of a loss', aDevice({ reports: ['STORAGE 1 damaged'] })],
  ['a message that was stored twice', { ...aDevice(), arrivals: { ...aDevice().arrivals, stored: new Map([[1, 2]]) } }],
  ['a torn batch', { ...aDevice(), arrivals: { ...aDevice().arrivals, torn: 1 } }],
  ['a batch with other bytes', { ...aDevice(), arrivals: { ...aDevice().arrivals, changed: 1 } }],
  ['a process that never says what it wrote', aDevice({ lives: [aLife([])] })],
  [
    'two messages that were written before their process said so',
    aDevice({ lives: [aLife([1, 2, 5, 6])] }, [1, 2, 5, 6]),
  ],
  ['a new id of the device', { ...aDevice(), arrivals: { ...aDevice().arrivals, devices: 2 } }],
  ['nothing in any file', aDevice({ onDisk: new Set() })],
])('a run is bad with %s', (_, device) => {
  expect(listComplaints(outcome(device))).not.toEqual([]);
  expect(formatVerdict(outcome(device))).toContain('FAILED');
});

it('a run is bad with a batch that could not be sent', () => {
  expect(listComplaints(outcome(aDevice(), 1))).toEqual(['left 1']);
});

it('counts the gaps of each stream', () => {
  expect(
    gapsIn(
      new Map([
        ['a', new Set([0, 1, 4])],
        ['b', new Set([0])],
        ['c', new Set([2])],
      ]),
    ),
  ).toBe(4);
});
