import { expect, it } from 'vitest';
import { DamagedLog } from './damaged-log.js';
import { UndecodableBatch } from './kafkajs/undecodable-batch.js';

const batch = new UndecodableBatch('WRONG_CHECKSUM', 5n, 9n);

it('fetches a batch again after a second, then less and less often, and twice a minute for ever', () => {
  const log = new DamagedLog();
  const pauses = Array.from({ length: 8 }, (_, i) => log.fetched(batch, 5n, i * 100_000));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(log.isPausing(5n, 700_000 + 29_999)).toBe(true);
  expect(log.isPausing(5n, 700_000 + 30_000)).toBe(false);
  expect(log.at(5n)).toMatchObject({ code: 'WRONG_CHECKSUM', since: 0 });
});

it('is about one place: who got past it, or has it decoded, is not held up', () => {
  const log = new DamagedLog();
  log.fetched(batch, 5n, 0);
  expect([log.at(10n), log.isPausing(10n, 0)]).toEqual([undefined, false]);
  expect(log.fetched(undefined, 6n)).toBe(0);
  expect(log.at(5n)).toBeUndefined();
});
