import { expect, it } from 'vitest';
import { formatCursor, parseCursor } from './sample-cursor.js';

const place = {
  time: '2026-11-29 22:10:11.123',
  requestId: '0190a1b2-1234-7123-8123-123456789012',
  kind: 'refused',
};

it('reads the cursors that it writes, and nothing else', () => {
  for (const cursor of [
    { own: place, claims: place },
    { own: place, claims: undefined },
    { own: undefined, claims: place },
  ])
    expect(parseCursor(formatCursor(cursor) ?? '')).toEqual(cursor);
  expect(formatCursor({ own: undefined, claims: undefined })).toBeNull();
  for (const text of [
    '',
    ',',
    'x',
    'x,',
    `${place.time},`,
    `${formatCursor({ own: place, claims: undefined }) ?? ''},`,
  ])
    expect(parseCursor(text), text).toBeUndefined();
});
