import { expect, it } from 'vitest';
import { FormerLogs, type LastState } from './former-logs.js';
import { KnownEnds } from './known-ends.js';

const place = { topic: 'tracking.track.v1', partition: 3 };
const nothing = { offset: '-1', metadata: null };
const aState = (change: Partial<LastState> = {}): LastState => ({
  place,
  unstored: 50n,
  settled: Promise.resolve(change.unstored ?? 50n),
  logEnd: 80n,
  hasCommitted: true,
  ...change,
});
/** Waits until losses are counted, by promises that are resolved already. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function aWatch() {
  const ends = new KnownEnds();
  const losses: string[] = [];
  const logs = new FormerLogs(ends, (_, { from, to }) => losses.push(`${from}-${to}`));
  const look = (end: bigint, logId?: string): void => ends.look()(place, end, logId);
  return { ends, logs, losses, look };
}

it('counts up to the last known end of a replaced log', async () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  logs.replace(aState(), { low: '0', high: '5' });
  await settled();
  expect(losses).toEqual(['50-100']);
});

it('counts up to the end before it went back when looks have already seen the new log', async () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  look(20n);
  look(60n);
  logs.replace(aState(), { low: '0', high: '60' });
  await settled();
  expect(losses).toEqual(['50-100']);
});

it('counts up to the end that fetching saw when looks may have seen only the new log', async () => {
  const { logs, losses, look } = aWatch();
  look(200n);
  logs.replace(aState(), { low: '0', high: '210' });
  await settled();
  expect(losses).toEqual(['50-80']);
});

it('reports a replaced log that was stored to its end, without a loss', async () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  logs.replace(aState({ unstored: 100n, logEnd: 100n }), { low: '0', high: '0' });
  await settled();
  expect(losses).toEqual(['100-100']);
});

it('recognises a deleted topic at the next assignment by its missing commit, and counts its loss once', async () => {
  const { ends, logs, losses, look } = aWatch();
  look(100n);
  const answer = ends.look();
  logs.leave(aState());
  expect(logs.assign(place, nothing, { low: '0', high: '70' })).toBe(true);
  answer(place, 100n); // a look that began before saw the old log
  look(70n);
  logs.afterLook();
  expect(logs.assign(place, nothing, { low: '0', high: '70' })).toBe(false);
  await settled();
  expect(losses).toEqual(['50-100']);
});

it('counts the loss of a partition whose new log goes to another process', async () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  logs.leave(aState());
  look(10n);
  logs.afterLook();
  logs.afterLook();
  await settled();
  expect(losses).toEqual(['50-100']);
});

it('counts no loss of partitions that move to another process or come back', async () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  logs.leave(aState());
  expect(logs.assign(place, { offset: '50', metadata: null }, { low: '0', high: '120' })).toBe(false);
  logs.leave(aState());
  look(120n);
  logs.afterLook();
  look(10n);
  logs.afterLook();
  await settled();
  expect(losses).toEqual([]);
});

it('does not mistake the offset that kafkajs commits when it is out of range for a missing commit', async () => {
  const { logs, losses } = aWatch();
  logs.leave(aState());
  expect(logs.assign(place, { offset: '-2', metadata: null }, { low: '70', high: '120' })).toBe(false);
  await settled();
  expect(losses).toEqual([]);
});

it('does not mistake a partition that was never committed for one with a replaced log', async () => {
  const { logs, losses } = aWatch();
  logs.leave(aState({ unstored: 0n, hasCommitted: false }));
  expect(logs.assign(place, nothing, { low: '0', high: '120' })).toBe(false);
  await settled();
  expect(losses).toEqual([]);
});

it('counts once the INSERT under way has ended, and leaves out what it stored', async () => {
  const { logs, losses, look } = aWatch();
  look(100n);
  const insert = Promise.withResolvers<bigint>();
  logs.replace(aState({ settled: insert.promise }), { low: '0', high: '5' });
  await settled();
  expect(losses).toEqual([]);
  insert.resolve(70n);
  await settled();
  expect(losses).toEqual(['70-100']);
});

it('recognises a deleted topic by its id, even if the new log is longer and was committed by another process', async () => {
  const { logs, losses, look } = aWatch();
  look(100n, 'former');
  logs.leave(aState({ logId: 'former' }));
  look(500n, 'present');
  expect(logs.assign(place, { offset: '120', metadata: null }, { low: '0', high: '500' }, 'present')).toBe(true);
  await settled();
  expect(losses).toEqual(['50-100']);
});

it('reports a log whose partition went to another process, even if nothing of it is known to be lost', async () => {
  const { logs, losses, look } = aWatch();
  look(50n, 'former');
  logs.leave(aState({ logId: 'former', logEnd: 50n }));
  logs.afterLook(new Map([[place.topic, 'present']]));
  await settled();
  expect(losses).toEqual(['50-50']);
});

it('counts the lost end of a log that kept its id', async () => {
  const { logs, losses, look } = aWatch();
  look(100n, 'same');
  logs.replace(aState({ logId: 'same' }), { low: '0', high: '5' });
  await settled();
  expect(losses).toEqual(['50-100']);
});
