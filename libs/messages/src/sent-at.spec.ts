import { expect, it } from 'vitest';
import { addSentAt } from './sent-at.js';

const time = '2026-01-31T12:00:02.000Z';

it.each([
  [{ event: 'e' }, { event: 'e', context: { sent_at: time } }],
  [{ context: null }, { context: { sent_at: time } }],
  [{ context: { locale: 'de' } }, { context: { locale: 'de', sent_at: time } }],
])('%j is sent at a time', (message, stored) => {
  expect(addSentAt(message, time)).toEqual(stored);
});

it.each([
  { context: { sent_at: '2026-01-01T00:00:00Z' } },
  { context: { sent_at: null } },
  { context: { 'sent_at.by': 'relay' } },
  { context: 'text' },
])('%j stays as it is', (message) => {
  expect(addSentAt(message, time)).toBe(message);
});
