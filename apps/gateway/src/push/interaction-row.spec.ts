import { expect, it } from 'vitest';
import { interactionRow } from './interaction-row.js';

const issuedAt = Date.parse('2026-03-01T12:00:00Z');
const token = {
  notificationId: 'n',
  source: 'AbCdEf123456',
  campaign: 'c',
  variation: 'v',
  profile: 'p',
  channel: 'web-push',
  provider: 'fcm',
  issuedAt,
};
const occurredAt = (happenedAt: string, receivedAt: string): string =>
  interactionRow(
    token,
    { interaction: 'clicked', happenedAt: Date.parse(happenedAt), reported_by: ['event'] },
    { id: 'r', receivedAt },
  ).row.occurred_at;

it.each([
  ['between both', '2026-03-01T13:00:00Z', '2026-03-04T00:00:00Z', '2026-03-01T13:00:00.000Z'],
  ['before the token was made', '2019-01-01T00:00:00Z', '2026-03-04T00:00:00Z', '2026-03-01T12:00:00.000Z'],
  ['after it arrived', '2199-01-01T00:00:00Z', '2026-03-04T00:00:00.001Z', '2026-03-04T00:00:00.001Z'],
  ['with a token from the future', '2026-03-01T11:00:00Z', '2026-03-01T11:30:00Z', '2026-03-01T11:30:00.000Z'],
])('limits a time %s to the range from the token to the arrival', (_, happenedAt, receivedAt, expected) =>
  expect(occurredAt(happenedAt, receivedAt)).toBe(expected),
);
