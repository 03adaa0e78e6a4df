import { describe, expect, it } from 'vitest';
import { formatNumber, formatTable } from './table.js';

describe('formatNumber', () =>
  it('shows three significant digits, and every digit of numbers from 100 on', () =>
    expect([0, 0.1234, 1.234, 12.34, 123.4, 12345.6].map(formatNumber)).toEqual([
      '0',
      '0.123',
      '1.23',
      '12.3',
      '123',
      '12,346',
    ])));

describe('formatTable', () =>
  it('aligns numbers to the right below one header and names each group once', () => {
    const table = formatTable([
      {
        group: 'track',
        measure: 'per second',
        unit: 'requests/s',
        sluice: 5000,
        floor: 10_000,
        ratio: 0.5,
        ratios: [0.4, 0.61],
      },
      { group: 'track', measure: 'p99', unit: 'ms', sluice: 12.3, floor: 6, ratio: 2.05 },
      { group: 'freshness', measure: 'max', unit: 'ms', sluice: 1100 },
    ]);
    expect(table.split('\n')).toEqual([
      '              sluice   floor  ratio    of rounds  unit',
      'track',
      '  per second   5,000  10,000   0.50  0.40 - 0.61  requests/s',
      '  p99           12.3       6   2.05               ms',
      'freshness',
      '  max          1,100                              ms',
    ]);
  }));
