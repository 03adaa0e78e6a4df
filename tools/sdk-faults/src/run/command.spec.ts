import { expect, it } from 'vitest';
import { endedEarly } from './command.js';

it('says that a run ended before it had its faults', () => {
  const faults = new Map([
    ['process killed', 700],
    ['disk full', 534],
  ]);
  expect(endedEarly(faults, 1_234)).toBe('');
  expect(endedEarly(faults, 10_000)).toBe('--duration ended the run early, after 1,234 of 10,000 faults.');
});
