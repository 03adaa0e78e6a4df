import { expect, it } from 'vitest';
import { FormerLogs, type LastState } from './former-logs.js';
import { KnownEnds } from './known-ends.js';

const place = { topic: 'tracking.track.v1', partition: 3 };
const nothing = { offset: '-1', metadata: null };
const aState = (change: Partial<LastState> = {}): LastState => ({
  place,
  unstored: 50n,
  logEnd: 80n,
  hasCommitted: true,
  ...change,
});

function aWatch() {
  const ends = new KnownEnds();
  const losses: string[] = [];
  const logs = new FormerLogs(ends, (_, { from, to, state }) => losses.push(`${from}-${to} ${state}`));
  const look = (end: bigint): void => {
    ends.look()(place, end);
  };
  return { ends, logs, losses, look };
}

it('counts to the last end that a look saw when the log is found to be replaced', () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  logs.replace(aState(), { low: '0', high: '5' });
  expect(losses).toEqual(['50-100 topic deleted']);
});

it('counts to the end before it went back when the new log was seen by then', () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  look(20n);
  look(60n);
  logs.replace(aState(), { low: '0', high: '60' });
  expect(losses).toEqual(['50-100 topic deleted']);
});

it('counts to the end that fetching saw where the looks may have seen the new log only', () => {
  const { logs, losses, look } = aWatch();
  look(200n);
  logs.replace(aState(), { low: '0', high: '210' });
  expect(losses).toEqual(['50-80 topic deleted']);
});

it('counts nothing of a log that was stored to its end', () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  logs.replace(aState({ unstored: 100n, logEnd: 100n }), { low: '0', high: '0' });
  expect(losses).toEqual([]);
});

it('finds at the next assignment that Kafka has deleted the commit with the topic, and counts it once', () => {
  const { ends, logs, losses, look } = aWatch();
  look(100n);
  const answer = ends.look();
  logs.leave(aState());
  expect(logs.assign(place, nothing, { low: '0', high: '70' })).toBe(true);
  answer(place, 100n); // of a look that asked the old log
  look(70n);
  logs.looked();
  expect(logs.assign(place, nothing, { low: '0', high: '70' })).toBe(false);
  expect(losses).toEqual(['50-100 topic deleted']);
});

it('counts what it had when the new log goes to another process', () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  logs.leave(aState());
  look(10n);
  logs.looked();
  logs.looked();
  expect(losses).toEqual(['50-100 topic deleted']);
});

it('counts nothing of partitions that move to another process, or come back', () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  logs.leave(aState());
  expect(logs.assign(place, { offset: '50', metadata: null }, { low: '0', high: '120' })).toBe(false);
  logs.leave(aState());
  look(120n);
  logs.looked();
  look(10n);
  logs.looked();
  expect(losses).toEqual([]);
});

it('does not take an offset of kafkajs, which it commits when it is out of range, for none', () => {
  const { logs, losses } = aWatch();
  logs.leave(aState());
  expect(logs.assign(place, { offset: '-2', metadata: null }, { low: '70', high: '120' })).toBe(false);
  expect(losses).toEqual([]);
});

it('takes a partition that was never committed and begins anew for the same', () => {
  const { logs, losses } = aWatch();
  logs.leave(aState({ unstored: 0n, hasCommitted: false }));
  expect(logs.assign(place, nothing, { low: '0', high: '120' })).toBe(false);
  expect(losses).toEqual([]);
});
