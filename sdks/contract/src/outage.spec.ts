import { expect, it } from 'vitest';
import { nameOf } from './model-server.js';
import { VectorWorld } from './vector-world.js';

const hour = 3_600_000;
const vector = { name: 'an outage', interface: ['§1'], steps: [] };
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `e${at}`);

/** Tracks one event an hour while the service is unavailable for `hours`, with regular restarts of the process. */
async function outage(hours: number, hoursToRestart: number): Promise<VectorWorld> {
  const world = new VectorWorld(vector, { apiKey: 'key', sourceIdentifier: 'Source000001' });
  world.start('a', {});
  for (let at = 0; at < hours; at++) {
    // Enough answers for all tries within an hour.
    world.answers.splice(0, world.answers.length, ...Array.from({ length: 400 }, () => 'cut-before' as const));
    world.client('a').track(`e${at}`);
    await world.clock.advance(hour);
    if (at % hoursToRestart !== hoursToRestart - 1) continue;
    world.drop('a');
    world.start('a', {});
  }
  world.answers.length = 0;
  await world.clock.advance(hour);
  return world;
}

it.each([5, 1_000])('seven days without the service lose nothing when restarted every %i hours', async (restart) => {
  const hours = 7 * 24 - 1;
  const world = await outage(hours, restart);
  expect(world.reports).toEqual([]);
  expect(world.server.stored.map(nameOf).sort()).toEqual(names(hours).sort());
  expect(await world.device.batches()).toEqual([]);
  // The wait between two tries is 30 to 90 seconds.
  expect(world.requests.length).toBeLessThan(hours * 120);
});

it('every message lost in ten days without the service is reported', async () => {
  const hours = 10 * 24;
  const world = await outage(hours, 1_000);
  const reported = world.reports.reduce((sum, { count = 0 }) => sum + count, 0);
  expect(new Set(world.reports.map(({ code }) => code))).toEqual(new Set(['expired']));
  expect(reported).toBeGreaterThan(0);
  expect(world.server.stored.length + reported).toBe(hours);
  expect(world.device.value('lost')).toBe(String(reported));
});
