import { expect, it } from 'vitest';
import { readOptions } from './options.js';
import { isGood, lostOf, type Outcome, textOf } from './report.js';
import { missingOf } from './stored.js';

/** One fault of each kind that simulated clients meet. */
const everyKind = new Map(
  [
    'cutAfter',
    'cutBefore',
    'cutMidRequest',
    'unavailable',
    'rateLimited',
    'silence',
    'tab killed',
    'tooLarge',
    'reload storm',
    'eight tabs at once',
    'storage full',
    'clock set by up to a day',
    'portal',
    'key revoked for a while',
  ].map((name) => [name, 1]),
);

const anOutcome = (change: Partial<Outcome> = {}, stored: Partial<Outcome['stored']> = {}): Outcome => ({
  faults: everyKind,
  taken: 10,
  streams: 1,
  reported: 0,
  waiting: 0,
  ...change,
  stored: { messages: 10, doubled: 0, missing: 0, missingAtRisk: 0, ...stored },
});

it('is good when all is stored once, or reported, or was only in the memory of a killed client', () => {
  expect(isGood(anOutcome())).toBe(true);
  expect(isGood(anOutcome({ reported: 2 }, { messages: 8, missing: 2 }))).toBe(true);
  expect(isGood(anOutcome({}, { messages: 8, missingAtRisk: 2 }))).toBe(true);
});

it.each([
  ['something is lost', anOutcome({}, { messages: 9, missing: 1 })],
  ['more is lost than was reported', anOutcome({ reported: 1 }, { messages: 8, missing: 2 })],
  ['something is doubled', anOutcome({}, { doubled: 1 })],
  ['a device still waits', anOutcome({ waiting: 1 })],
  ['nothing was taken', anOutcome({ taken: 0 }, { messages: 0 })],
  ['a kind of fault was not met', anOutcome({ faults: new Map([...everyKind].slice(0, -1)) })],
])('is not good when %s', (_, outcome) => expect(isGood(outcome)).toBe(false));

it('counts what is missing of each stream, apart what nobody could promise', () => {
  const streams = new Map([
    ['s', { taken: 4, atRisk: new Set([3]) }],
    ['t', { taken: 2, atRisk: new Set<number>() }],
  ]);
  expect(missingOf(streams, new Map([['s', new Set([0, 2])]]))).toEqual({ missing: 3, missingAtRisk: 1 });
  expect(lostOf(anOutcome({ reported: 1 }, { missing: 3 }))).toBe(2);
});

it('prints the faults by kind and their sum', () => {
  const faults = new Map([
    ['tab killed', 1_200] as const,
    ['cutAfter', 3] as const,
    ['resetAfter', 4] as const,
    ['new fault', 1] as const,
  ]);
  const lines = textOf(anOutcome({ faults })).split('\n');
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

it('reads its options, and names the one that is wrong', () => {
  expect(readOptions([])).toMatchObject({ durationMs: 600_000, seed: 1, mutant: undefined });
  expect(readOptions(['--duration', '30s', '--seed', '7', '--mutant', 'new-key'])).toMatchObject({
    durationMs: 30_000,
    seed: 7,
    mutant: 'new-key',
  });
  for (const args of [
    ['--duration', '10'],
    ['--faults', '0'],
    ['--seed', 'x'],
    ['--mutant', 'y'],
    ['--other', '1'],
  ])
    expect(() => readOptions(args)).toThrow(args[0]);
});
