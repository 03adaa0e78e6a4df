import { expect, it } from 'vitest';
import { rowTimestamp } from './tracking-rows.js';

const origin = { received_at: '2026-11-21T10:00:00.000Z' };

it.each([
  ['2024-02-29T10:20:30.123Z', '2024-02-29T10:20:30.123Z'],
  ['2024-02-29T10:20:30,500Z', '2024-02-29T10:20:30.500Z'],
  ['2024-02-29 10:20:30.123Z', '2024-02-29T10:20:30.123Z'],
  ['2024-02-29T10:20:30.1234Z', '2024-02-29T10:20:30.123Z'],
  ['2024-02-29T10:20:30+03:30', '2024-02-29T06:50:30.000Z'],
  [undefined, origin.received_at],
  [null, origin.received_at],
])('a row of a message with timestamp %s has %s', (timestamp, stored) =>
  expect(rowTimestamp({ event: 'e', ...(timestamp !== undefined && { timestamp }) }, origin)).toBe(stored),
);
