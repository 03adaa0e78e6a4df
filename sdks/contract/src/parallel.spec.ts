import { expect, it } from 'vitest';
import { messageName } from './model-server.js';
import { type Answer } from './vector.js';
import { VectorWorld } from './vector-world.js';

const names = Array.from({ length: 14 }, (_, at) => `e${at}`);
/** Answers after which several requests may be under way. */
const taken: readonly Answer[] = ['queued', 'queued', 'queued', 'queued'];

/** A client with 14 batches of one message, whose first request had no answer. */
async function aBacklog(random: readonly number[] = []): Promise<VectorWorld> {
  const world = new VectorWorld(
    {
      name: 'a backlog',
      docs: ['sdks/contract/README.md#rules-behind-the-vectors'],
      steps: [],
      random: [0, ...random],
    },
    source,
  );
  world.answers.push('cut-before');
  world.start('a', { flushAt: 1 });
  for (const name of names) world.client('a').track(name);
  await world.clock.advance(0);
  expect(world.requests).toHaveLength(1);
  return world;
}

const source = { apiKey: 'key', sourceIdentifier: 'Source000001' };
const stored = (world: VectorWorld): string[] => world.server.stored.map(messageName).sort();

it('four requests at a time once four batches in a row were taken', async () => {
  const world = await aBacklog();
  world.answers.push(...taken, 'hang', 'hang', 'hang', 'hang');
  await world.clock.advance(500);
  expect(world.requests).toHaveLength(1 + 4 + 4);
  await world.clock.advance(29_000);
  expect(world.requests).toHaveLength(1 + 4 + 4);
});

it('requests that fail together are one failure, after which a single one finds out whether the service is back', async () => {
  const world = await aBacklog([0.9, 0.1, 0.1, 0.1]);
  world.answers.push(...taken, 'cut-after', { status: 503 }, 'cut-before', { status: 503 }, 'hang');
  await world.clock.advance(500);
  expect(world.requests).toHaveLength(1 + 4 + 4);
  // The first wait after a failure, with the fraction that the first of the four draws.
  await world.clock.advance(9_499);
  expect(world.requests).toHaveLength(1 + 4 + 4);
  await world.clock.advance(1);
  expect(world.requests).toHaveLength(1 + 4 + 4 + 1);
  await world.clock.advance(29_000);
  expect(world.requests).toHaveLength(1 + 4 + 4 + 1);
  await world.clock.advance(120_000);
  expect(stored(world)).toEqual([...names].sort());
  expect(await world.device.batches()).toEqual([]);
  expect(world.reports).toEqual([]);
});

it('the longest Retry-After of requests that fail together is obeyed by all', async () => {
  const world = await aBacklog();
  const later = (seconds: number): Answer => ({ status: 429, headers: { 'retry-after': String(seconds) } });
  world.answers.push(...taken, 'cut-before', later(60), later(20), { status: 503 });
  await world.clock.advance(500);
  world.signal('a', 'online');
  await world.clock.advance(59_999);
  expect(world.requests).toHaveLength(1 + 4 + 4);
  await world.clock.advance(60_000);
  expect(stored(world)).toEqual([...names].sort());
});

it('requests that are refused together make one rest and one report', async () => {
  const world = await aBacklog();
  world.answers.push(...taken, { status: 401 }, { status: 401 }, { status: 401 }, { status: 401 }, { status: 401 });
  await world.clock.advance(500);
  await world.clock.advance(600_000);
  expect(world.requests).toHaveLength(1 + 4 + 4);
  // Ten minutes and half of the jitter, then the rest after a second refusal.
  await world.clock.advance(30_000);
  expect(world.requests).toHaveLength(1 + 4 + 4 + 1);
  await world.clock.advance(1_200_000);
  expect(world.requests).toHaveLength(1 + 4 + 4 + 1);
  expect(world.reports.map(({ code }) => code)).toEqual(['unauthorized']);
  await world.clock.advance(60_000);
  expect(stored(world)).toEqual([...names].sort());
});
