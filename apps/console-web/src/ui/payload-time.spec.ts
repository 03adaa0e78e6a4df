import { expect, it } from 'vitest';
import { readPayloadTime } from './payload-time';

it('reads times with a zone anywhere, and those without one in columns of a row', () => {
  const time = '2026-11-29T20:00:00.000Z';
  expect(readPayloadTime('2026-11-29T20:00:00Z', undefined)).toEqual({ time, saysUtc: true });
  expect(readPayloadTime('2026-11-29T23:30:00+03:30', 'birthday')).toEqual({ time, saysUtc: false });
  expect(readPayloadTime('2026-11-29 20:00:00.000', 'received_at')).toEqual({ time, saysUtc: false });
  expect(readPayloadTime('2026-11-29 20:00:00.000', 'timestamp')).toEqual({ time, saysUtc: false });
});

it('guesses no zone of what a client sent, and takes no other text for a time', () => {
  for (const [text, column] of [
    ['2026-11-29 20:00:00', undefined],
    ['2026-11-29T20:00:00', undefined],
    ['2026-11-29 20:00:00', 'event'],
    ['2026-11-29', 'received_at'],
    ['2026-13-45T99:00:00Z', undefined],
    ['order 2026-11-29T20:00:00Z', undefined],
  ] as const)
    expect(readPayloadTime(text, column), text).toBeUndefined();
});
