import { afterEach, expect, it, vi } from 'vitest';
import { AcceptedRows } from './accepted-rows.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('repeats a row only while ClickHouse certainly remembers its token', () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const accepted = new AcceptedRows();
  accepted.add('events', {
    id: 'block',
    partition: 0,
    rows: [{ value: Buffer.from('{}'), offset: '1', timestamp: '0' }],
  });
  now = 119_000;
  expect(accepted.makeRepeat('events')?.id).toBe('block');
  now = 5 * 60_000;
  expect(accepted.makeRepeat('events')).toBeUndefined();
  expect(accepted.findRow('events')?.offset).toBe('1');
});
