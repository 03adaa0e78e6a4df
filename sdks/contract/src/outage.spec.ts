import { expect, it } from 'vitest';
import { messageName } from './model-server.js';
import { type Answer } from './vector.js';
import { VectorWorld } from './vector-world.js';

const hour = 3_600_000;
const day = 24 * hour;
const vector = { name: 'an outage', docs: ['sdks/contract/README.md#rules-behind-the-vectors'], steps: [] };
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `e${at}`);

/**
 * Tracks one event an hour for `hours`. Requests get this answer until `hoursAfter` hours later. The process restarts
 * every `hoursToRestart` hours.
 */
async function outage(hours: number, hoursToRestart: number, answer: Answer = 'cut-before', hoursAfter = 0) {
  const world = new VectorWorld(vector, { apiKey: 'key', sourceIdentifier: 'Source000001' });
  world.start('a', {});
  for (let at = 0; at < hours + hoursAfter; at++) {
    // Enough answers for all tries within an hour.
    world.answers.splice(0, world.answers.length, ...Array.from({ length: 400 }, () => answer));
    if (at < hours) world.client('a').track(`e${at}`);
    await world.clock.advance(hour);
    if (at % hoursToRestart !== hoursToRestart - 1) continue;
    world.drop('a');
    world.start('a', {});
  }
  world.answers.length = 0;
  await world.clock.advance(hour);
  return world;
}

const losses = ({ reports }: VectorWorld) => reports.filter(({ count = 0 }) => count > 0);

it.each([5, 1_000])('seven days without the service lose nothing when restarted every %i hours', async (restart) => {
  const hours = 7 * 24 - 1;
  const world = await outage(hours, restart);
  expect(losses(world)).toEqual([]);
  expect(world.server.stored.map(messageName).sort()).toEqual(names(hours).sort());
  expect(await world.device.batches()).toEqual([]);
  // The wait between two tries is 30 to 90 seconds.
  expect(world.requests.length).toBeLessThan(hours * 120);
});

it('every message that expires in an outage is reported', async () => {
  const world = await outage(24, 1_000, 'cut-before', 8 * 24);
  const reported = losses(world).reduce((sum, { count = 0 }) => sum + count, 0);
  expect(new Set(losses(world).map(({ code }) => code))).toEqual(new Set(['expired']));
  expect(world.server.stored.length + reported).toBe(24);
  expect(world.device.value('lost')).toBe(String(reported));
});

const faults: readonly [name: string, answer: Answer][] = [
  ['of no answer', 'cut-before'],
  ['in which requests arrive and answers do not', 'cut-after'],
  ['of 503', { status: 503 }],
  ['of 503 for requests that are stored', { status: 503, stores: true }],
  ['of 429 with Retry-After', { status: 429, headers: { 'retry-after': '3600' } }],
  ['of a revoked key', { status: 401 }],
];

it.each(faults)('an hour and two days %s lose and double nothing', async (_, answer) => {
  for (const [hours, restart] of [
    [1, 1_000],
    [48, 1_000],
    [48, 7],
  ] as const) {
    const world = await outage(hours, restart, answer);
    // A client rests for up to 61 minutes after its key was refused.
    await world.clock.advance(2 * hour);
    expect(losses(world)).toEqual([]);
    expect(world.server.stored.map(messageName).sort()).toEqual(names(hours).sort());
    expect(await world.device.batches()).toEqual([]);
  }
});

it.each([day, -day])(
  'a clock that is set by %i ms in the midst of an outage loses and doubles nothing',
  async (change) => {
    const world = await outage(3, 1_000, 'cut-after');
    world.answers.splice(0, world.answers.length, ...Array.from({ length: 400 }, () => 'cut-after' as const));
    world.clock.set(world.clock.now() + change);
    world.client('a').track('e3');
    await world.clock.advance(hour);
    world.drop('a');
    world.start('a', {});
    world.answers.length = 0;
    await world.clock.advance(2 * hour);
    expect(losses(world)).toEqual([]);
    expect(world.server.stored.map(messageName).sort()).toEqual(names(4).sort());
    expect(await world.device.batches()).toEqual([]);
  },
);
