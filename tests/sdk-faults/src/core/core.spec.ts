import { expect, it } from 'vitest';
import { Books } from '../ledger/books.js';
import { isGood, type RunOutcome, formatRunOutcome } from '../ledger/outcome.js';
import { core } from './core.js';

/** One fault of each kind that simulated clients meet. */
const everyKind = new Map(
  [
    ...['cutAfter', 'cutBefore', 'cutMidRequest', 'unavailable', 'rateLimited', 'silence', 'tab killed', 'tooLarge'],
    ...['reload storm', 'eight tabs at once', 'storage full', 'clock set by up to a day', 'portal'],
    'key revoked for a while',
  ].map((name) => [name, 1]),
);

const missing = { none: 0, young: 0, behind: 0, full: 0, memory: 0 };
const stored = { rows: 10, devices: 1, streams: 1, doubled: 0, misnumbered: 0, numbers: new Map() };

const anOutcome = (change: Partial<RunOutcome> = {}): RunOutcome => ({
  faults: everyKind,
  taken: 10,
  clients: 1,
  reports: new Map(),
  reported: 0,
  waiting: 0,
  missing,
  stored,
  unnoted: { all: 0, max: 0 },
  ...change,
});

it('is good when all is stored once, or reported, or was only in the memory of a killed client', () => {
  expect(isGood(anOutcome(), core)).toBe(true);
  expect(isGood(anOutcome({ reported: 2, missing: { ...missing, none: 2 } }), core)).toBe(true);
  expect(isGood(anOutcome({ missing: { ...missing, memory: 2 } }), core)).toBe(true);
});

it.each([
  ['something is lost', anOutcome({ missing: { ...missing, none: 1 } })],
  ['more is lost than was reported', anOutcome({ reported: 1, missing: { ...missing, none: 2 } })],
  ['something is doubled', anOutcome({ stored: { ...stored, doubled: 1 } })],
  ['a device still waits', anOutcome({ waiting: 1 })],
  ['nothing was taken', anOutcome({ taken: 0 })],
  ['a kind of fault was not met', anOutcome({ faults: new Map([...everyKind].slice(0, -1)) })],
])('is not good when %s', (_, outcome) => {
  expect(isGood(outcome, core)).toBe(false);
});

it('counts missing messages, and those lost in memory separately', () => {
  const books = new Books();
  books.took(0, 's', [0, 1, 2], 0);
  books.took(0, 's', [3], 0, 'memory');
  books.took(0, 't', [0, 1], 0);
  expect(books.missing(new Map([['s', new Set([0, 2])]]))).toEqual({ ...missing, none: 3, memory: 1 });
  expect(formatRunOutcome(anOutcome({ reported: 1, missing: { ...missing, none: 3 } }), core)).toMatch(/^lost +2$/m);
});

it('prints the faults by kind and their sum', () => {
  const faults = new Map([
    ['tab killed', 1_200],
    ['cutAfter', 3],
    ['resetAfter', 4],
    ['new fault', 1],
  ]);
  const lines = formatRunOutcome(anOutcome({ faults }), core).split('\n');
  expect(lines[0]).toMatch(/^faults +1,208$/);
  expect(lines.slice(1, 4)).toEqual([
    expect.stringMatching(/^ {2}answer cut after the request was forwarded +7$/),
    expect.stringMatching(/^ {4}cutAfter +3$/),
    expect.stringMatching(/^ {4}resetAfter +4$/),
  ]);
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}page, app or process killed +1,200$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}reload storm +0$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}others +1$/));
});
