import { expect, it, vi } from 'vitest';
import { endedEarly, printed } from './command.js';

it('says that a run ended before it had its faults', () => {
  expect(endedEarly(1_234, { limit: 1_234 }, 'faults')).toBe('');
  expect(endedEarly(1_234, { limit: 10_000 }, 'faults')).toBe(
    '--duration ended the run early, after 1,234 of 10,000 faults.',
  );
});

it.each([
  [true, undefined, 0, 'fine'],
  [false, undefined, 1, 'fine'],
  [false, 'drops half', 1, "The mutant 'drops half' was found."],
  [true, 'drops half', 0, "The mutant 'drops half' PASSED."],
])('a run that is good %s, with the mutant %s, ends with %i', (isGood, mutant, code, last) => {
  const say = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  expect(printed({ table: '', isGood, remarks: ['', 'fine'] }, { mutant })).toBe(code);
  expect(say).toHaveBeenLastCalledWith(last);
});
