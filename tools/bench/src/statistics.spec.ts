import { describe, expect, it } from 'vitest';
import { median, quantile } from './statistics.js';

const countdownFrom = (count: number): number[] => Array.from({ length: count }, (_, i) => count - i);

describe('quantile', () => {
  it('is the value of the list at the nearest rank', () => {
    expect(quantile(countdownFrom(100), 0.5)).toBe(50);
    expect(quantile(countdownFrom(100), 0.99)).toBe(99);
    expect(quantile(countdownFrom(10), 0.99)).toBe(10);
  });

  it('is the least at 0 and the greatest at 1', () => {
    expect(quantile([3, 1, 2], 0)).toBe(1);
    expect(quantile([3, 1, 2], 1)).toBe(3);
  });

  it('sorts by number, not by text', () => expect(quantile([9, 10, 100], 0.3)).toBe(9));

  it('is NaN for an empty list', () => expect(quantile([], 0.5)).toBeNaN());
});

describe('median', () => {
  it('is the middle of an odd number of values', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([7])).toBe(7);
  });

  it('is the mean of the middle two of an even number', () => expect(median([4, 1, 3, 2])).toBe(2.5));

  it('is NaN for an empty list', () => expect(median([])).toBeNaN());
});
