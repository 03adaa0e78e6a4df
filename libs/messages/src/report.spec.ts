import { expect, it } from 'vitest';
import { type Problem } from './problem.js';
import { boundProblems, countByMessage, ProblemList } from './report.js';

const entries = (count: number, field: string): Problem[] =>
  Array.from({ length: count }, () => ({ field, message: 'unknown field' }));

it('an answer has all entries up to a thousand, then the number of the rest', () => {
  expect(boundProblems([])).toEqual([]);
  expect(boundProblems(entries(1_000, 'x'))).toEqual(entries(1_000, 'x'));
  expect(boundProblems(entries(70_000, 'x'))).toEqual([
    ...entries(1_000, 'x'),
    { field: '', message: 'and 69000 more' },
  ]);
});

it.each([
  ['names of the longest kind', 'x'.repeat(1_024)],
  ['names that are cut', 'x'.repeat(100_000)],
  ['names of 700 characters', 'x'.repeat(700)],
])('an answer stays small with %s', (_, field) => {
  const shown = boundProblems(entries(1_000, field));
  const text = shown.reduce((sum, one) => sum + one.field.length + one.message.length, 0);
  expect(text).toBeLessThan(101_200);
  expect(shown.at(-1)).toEqual({ field: '', message: `and ${1_001 - shown.length} more` });
  expect(shown.length).toBeGreaterThan(90);
});

it('the problems of a million values are counted, and few of them are kept', () => {
  const list = new ProblemList();
  for (let i = 0; i < 1_000; i++) list.addAll(entries(1_000, `list[${i}]`));
  expect([list.length, list.entries.length]).toEqual([1_000_000, 1_001]);
  expect(list.countByMessage).toEqual(new Map([['unknown field', 1_000_000]]));
  expect(JSON.stringify(list).length).toBeLessThan(200_000);
});

it('dropped values are counted by their message', () => {
  const one = { field: 'a', message: 'over 5 levels' };
  expect(countByMessage([...entries(2, 'x'), one, ...entries(1, 'y')])).toEqual(
    new Map([
      ['unknown field', 3],
      ['over 5 levels', 1],
    ]),
  );
});
