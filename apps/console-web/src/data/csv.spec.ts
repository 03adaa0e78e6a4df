import { expect, it } from 'vitest';
import { csvOf } from './csv';

it('quotes each cell, and lets no spreadsheet run one', () =>
  expect(
    csvOf([
      ['a', 'say "b"'],
      ['=HYPERLINK("x")', '-1'],
    ]),
  ).toBe('"a","say ""b"""\r\n"\'=HYPERLINK(""x"")","\'-1"\r\n'));
