import { type ConsoleReader, type ConsoleWriter } from '@sluice/operations';
import { expect, it } from 'vitest';
import { type Payloads } from '../payload/payloads.js';
import { ReplayMarks } from './replay-marks.js';

const replayedAt = '2026-11-24T10:00:00.000Z';

/** Marks of a console whose state has one letter, replayed by Ann. */
function someMarks(): ReplayMarks {
  const state = { get: () => ({ id: 'letter', at: replayedAt, by: 'ann', isEdited: false }) };
  return new ReplayMarks({ state } as unknown as ConsoleReader, {} as ConsoleWriter, {} as Payloads);
}

it('names the replay of a letter, until its message is refused again', () => {
  const before = { id: 'letter', refusedAt: Date.parse(replayedAt) - 60_000 };
  expect(someMarks().of(before)).toMatchObject({ at: replayedAt, by: 'ann' });
  expect(someMarks().of({ ...before, refusedAt: Date.parse(replayedAt) + 2_000 })).toBeNull();
});
