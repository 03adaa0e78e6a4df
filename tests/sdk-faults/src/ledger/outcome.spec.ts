import { expect, it } from 'vitest';
import { node } from '../node/node.js';
import { isGood, type RunOutcome, formatRunOutcome } from './outcome.js';

/** One fault of each kind that Node processes meet. */
const everyKind = new Map(
  [
    ...['cutAfter', 'cutBefore', 'cutMidRequest', 'unavailable', 'rateLimited', 'silence', 'process killed'],
    ...['four processes at once', 'disk full', 'portal', 'key revoked for a while'],
  ].map((name) => [name, 1]),
);

const anOutcome = (change: Partial<RunOutcome> = {}): RunOutcome => ({
  ...{
    faults: everyKind,
    taken: 10,
    clients: 1,
    unnoted: { all: 0, max: 0 },
    reports: new Map(),
    reported: 0,
    waiting: 0,
  },
  missing: { none: 0, young: 0, behind: 0, full: 0, memory: 0 },
  stored: { rows: 10, devices: 1, streams: 1, doubled: 0, misnumbered: 0, numbers: new Map() },
  ...change,
});

it('is good when only memory had what is missing, and errorHandler was informed', () => {
  const outcome = anOutcome({
    missing: { none: 0, young: 0, behind: 0, full: 2, memory: 0 },
    unwritten: { reported: 3, silent: 0 },
  });
  expect(isGood(outcome, node)).toBe(true);
  expect(formatRunOutcome(outcome, node)).toMatch(
    /taken without a file, as errorHandler was informed +3\n.*without a report +0\n/,
  );
});

it.each([
  ['a written message is missing', anOutcome({ missing: { none: 1, young: 0, behind: 0, full: 0, memory: 0 } })],
  ['a message was taken without a file and without a report', anOutcome({ unwritten: { reported: 0, silent: 1 } })],
  ['two notes of a process are missing', anOutcome({ unnoted: { all: 2, max: 2 } })],
  ['batches still wait', anOutcome({ waiting: 1 })],
])('is not good when %s', (_, outcome) => {
  expect(isGood(outcome, node)).toBe(false);
});
