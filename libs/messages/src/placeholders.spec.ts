import { expect, it } from 'vitest';
import { linksNobody, reportPlaceholders } from './placeholders.js';
import { Report } from './report.js';

const namedIn = (message: object): string[] => {
  const report = new Report();
  reportPlaceholders(message, 'list[3]', report);
  expect(report.dropped.every((entry) => entry.message === linksNobody)).toBe(true);
  return report.dropped.map(({ field }) => field);
};

it('names ids that are placeholders, and no others', () => {
  expect(namedIn({ userId: 'undefined', anonymousId: '00000000-0000-0000-0000-000000000000' })).toEqual([
    'list[3].userId',
    'list[3].anonymousId',
  ]);
  expect(namedIn({ userId: null, anonymousId: 'NULL' })).toEqual(['list[3].anonymousId']);
  expect(namedIn({ userId: 'u-1' })).toEqual([]);
});
