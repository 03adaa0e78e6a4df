import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type {} from '@sluice/testing'; // types of `inject`
import { OperationError } from '../operation-error.js';
import { type ErasureState } from '@sluice/console-api';
import { type Erasure } from './erasure.js';
import { type ErasureBed } from './erasure.spec-support.js';
import { type ErasureWorld } from './eraser.js';
import { type ErasureRequest } from './request-erasure.js';
import { type RunOptions } from './run-erasures.js';

// Own topics: those of other specs in the same Kafka hold messages that nobody stores.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `erasure${process.pid}.`;
});

const { ErasureBed: Bed, aSeller, aUser, anAnonymous, otherSource, source } = await import('./erasure.spec-support.js');
const { runErasures } = await import('./run-erasures.js');
const { reapplyErasures, requestErasure } = await import('./request-erasure.js');

let bed: ErasureBed;
beforeAll(async () => {
  bed = new Bed(inject('kafkaBrokers'), inject('clickhouseUrl'));
  await bed.prepare();
});
afterEach(() => bed.closeWorlds());
afterAll(() => bed.stop());

const quick = { pauseMs: 100, maxMs: 60_000, gatherMs: 0 };
const personOf = (user: string): readonly [string, string] => [user, `a-${user}`];
const eventsOf = (user: string): Promise<{ user_id: string }[]> =>
  bed.rows(`SELECT user_id FROM events WHERE source_id = '${source}' AND anonymous_id = 'a-${user}' ORDER BY user_id`);

/** Asks for the erasure of a user, or of the ids. */
async function ask(user: string, change: Partial<ErasureRequest> = {}): Promise<string> {
  const world = await bed.world();
  return (await requestErasure(world, { ids: [aUser(user)], by: 'test', ...change })).request;
}
/** The erasure of a request as any process knows it. */
const known = async (request: string): Promise<Erasure | undefined> => (await bed.world()).store.find(request);
const run = async (options: RunOptions = {}, change: Partial<ErasureWorld> = {}): Promise<Erasure[]> =>
  runErasures(await bed.world(change), { ...quick, ...options });

const rowsOfOne = {
  ...{ events: 3, identifies: 1, users: 1, push_interactions: 1, push_devices: 1 },
  ...{ refused_messages: 2, refused_requests: 1, ad_requests: 1 },
};

it('erases a person with all their ids from every table, and nobody else', async () => {
  await bed.addPeople([personOf('stays')]);
  await bed.addPeople([personOf('goes')], otherSource);
  const others = await bed.rowsByTable();
  await bed.addPeople([personOf('goes')]);
  const request = await ask('goes');

  await run({ requests: [request] });

  const erasure = await known(request);
  expect(erasure).toMatchObject({ state: 'waiting', ids: { user: 1, anonymous: 1 }, batches: 1 });
  // The source of a refused request is not known, so both are the person's.
  expect(erasure?.rows).toEqual({ ...rowsOfOne, refused_requests: 2 });
  expect(await bed.rowsByTable()).toEqual({ ...others, refused_requests: 1 });
  expect(erasure?.mutations.map(({ table }) => table).sort()).toEqual(Object.keys(rowsOfOne).sort());
  expect(JSON.stringify({ ...erasure, sealed: '' })).not.toContain('goes');
});

it('is verified in the end wherever a process was killed, and everyone else keeps all rows', async () => {
  const others = await bed.rowsByTable();
  const states = ['requested', 'suppressed', 'resolved', 'barrier', 'deleting', 'verified', 'waiting'] as const;
  const cases = states.flatMap((state) => [false, true].map((isAfter) => ({ state, isAfter })));
  const userOf = ({ state, isAfter }: (typeof cases)[number]): string => `killed-${state}-${String(isAfter)}`;
  await bed.addPeople(cases.map((one) => personOf(userOf(one))));
  const requests = await Promise.all(
    cases.map(async (one) => {
      const request = await ask(userOf(one));
      const dying = runErasures(killedAt(await bed.world(), one.state, one.isAfter), { ...quick, requests: [request] });
      await expect(dying).rejects.toThrow('killed');
      return request;
    }),
  );
  const world = await bed.world();
  for (const [index, { state, isAfter }] of cases.entries()) {
    const reached = states.indexOf(world.store.find(requests[index] ?? '')?.state as (typeof states)[number]);
    expect(reached).toBe(isAfter || state === 'requested' ? states.indexOf(state) : states.indexOf(state) - 1);
  }

  const erasures = await run();

  for (const request of requests)
    expect(erasures.find((one) => one.request === request)).toMatchObject({ state: 'waiting', ids: { anonymous: 1 } });
  expect(await bed.rowsByTable()).toEqual(others);
});

/** A process that dies when it would write that it reached a state, or right after it. */
function killedAt(world: ErasureWorld, state: ErasureState, isAfter: boolean): ErasureWorld {
  const put = world.store.put.bind(world.store);
  world.store.put = async (erasure, change) => {
    const isThere = (change?.state ?? erasure.state) === state;
    if (isThere && !isAfter) throw new OperationError('killed');
    const written = await put(erasure, change);
    if (isThere) throw new OperationError('killed');
    return written;
  };
  return world;
}

describe('a batch', () => {
  const many = Array.from({ length: 6 }, (_, index) => `many-${index}`);
  const requests = new Map<string, string>();
  const erasureOf = (name: string): Promise<Erasure | undefined> => known(requests.get(name) ?? '');
  const isDropped = async (id: string, at: number): Promise<boolean> =>
    (await bed.world()).suppressions.registry.drops(source, { userId: id }, at);

  beforeAll(async () => {
    await bed.addPeople([...many, 'returns', 'reverse'].map(personOf));
    await bed.addPeople([['owner', 'a-shared']], source, 5);
    await bed.addPeople([['guest', 'a-shared']], source, 2);
    await bed.insert(
      'sellers',
      ['s-1', 's-2'].map((seller_id) => ({ source_id: source, seller_id, email: 'x' })),
    );
    for (const name of [...many, 'returns', 'guest']) requests.set(name, await ask(name));
    requests.set('reverse', await ask('', { ids: [anAnonymous('a-reverse')], isReverse: true }));
    // The ids of many-0 again.
    requests.set('device', await ask('', { ids: [anAnonymous('a-many-0')], isReverse: true }));
    requests.set('unwelcome', await ask('unwelcome', { keepsSuppressed: true }));
    requests.set('seller', await ask('', { ids: [aSeller('s-1')] }));
    await run();
  });

  it('has one mutation per table, and the rows of each person', async () => {
    const erasures = await Promise.all([...requests.keys()].map(erasureOf));
    expect(new Set(erasures.map((one) => one?.batch)).size).toBe(1);
    expect(new Set(erasures.map((one) => one?.state))).toEqual(new Set(['waiting']));
    for (const name of many) expect((await erasureOf(name))?.rows).toEqual(rowsOfOne);
    const mutations = erasures[0]?.mutations.map(({ table }) => table) ?? [];
    expect(mutations).toHaveLength(new Set(mutations).size);
  });

  it('counts rows of an id of two erasures for both', async () => {
    expect((await erasureOf('device'))?.rows).toEqual(rowsOfOne);
  });

  it('lifts the suppression when it is verified, for messages from then on', async () => {
    const until = Date.parse((await erasureOf('returns'))?.until ?? '');
    expect([await isDropped('returns', until - 1), await isDropped('returns', until)]).toEqual([true, false]);
    const { registry } = (await bed.world()).suppressions;
    expect(registry.drops(source, { anonymousId: 'a-returns' }, until - 1)).toBe(true);
  });

  it('keeps a person suppressed if that was asked for', async () => {
    expect((await erasureOf('unwelcome'))?.until).toBeUndefined();
    expect(await isDropped('unwelcome', Date.now() + 1_000_000)).toBe(true);
  });

  it('leaves out a device whose first user is someone else, and says so', async () => {
    expect(await erasureOf('guest')).toMatchObject({ ids: { user: 1 }, othersDevices: 1 });
    const left = await eventsOf('shared');
    expect(left.map((row) => row.user_id)).toEqual(['', '', 'owner', 'owner']);
  });

  it('includes the users of a device if that was asked for', async () => {
    expect(await erasureOf('reverse')).toMatchObject({ ids: { user: 1, anonymous: 1 } });
    expect(await eventsOf('reverse')).toEqual([]);
  });

  it('erases a seller', async () => {
    expect(await erasureOf('seller')).toMatchObject({ rows: { sellers: 1 } });
    expect(await bed.rows('SELECT seller_id FROM current_sellers')).toEqual([{ seller_id: 's-2' }]);
  });
});

describe('an erasure that waits for Kafka', () => {
  const later = () => Date.now() + 40 * 86_400_000;
  let restored: string;
  let back: string;
  beforeAll(async () => {
    await bed.addPeople([personOf('restored'), personOf('back')]);
    const since = Date.now();
    [restored, back] = [await ask('restored'), await ask('back')];
    await run();
    await bed.addPeople([personOf('restored'), personOf('back')]);
    // They came back after the erasure, as a new person.
    await bed.addPeople([personOf('restored')], source, -1);
    const { again, closed } = await reapplyErasures((await bed.world()).store, since);
    expect([again.map(({ request }) => request).includes(restored), closed]).toEqual([true, []]);
    await run({ requests: [restored] });
  });

  it('is done again after a restore, without the person who returned', async () => {
    expect(await known(restored)).toMatchObject({ state: 'waiting', reapplied: 1, batches: 2 });
    expect(await eventsOf('restored')).toHaveLength(3);
  });

  it('erases rows that came back in another way when it looks again', async () => {
    await run({ requests: [back] });
    expect(await known(back)).toMatchObject({ state: 'waiting', batches: 2 });
    expect(await eventsOf('back')).toEqual([]);
  });

  it('is closed without the ids when Kafka and backups are clear, unless ad requests cannot be searched', async () => {
    await run({ requests: [back] }, { now: later, tables: { adRequestPaths: [] } });
    expect((await known(back))?.problem).toContain('PRIVACY_AD_REQUEST_PATHS');
    await run({ requests: [back] }, { now: later });
    const closed = await known(back);
    expect(closed).toMatchObject({ state: 'closed' });
    expect(closed?.sealed).toBeUndefined();
    expect((await reapplyErasures((await bed.world()).store)).closed).toEqual([back]);
  });
});

it('asked for twice, a person is erased once', async () => {
  expect(await ask('twice')).toBe(await ask('twice'));
});

it('waits for a gateway that does not answer, and names it', async () => {
  const request = await ask('waits');
  await run({ requests: [request], maxMs: 1 }, { gateways: ['http://127.0.0.1:1/metrics'] });
  const erasure = await known(request);
  expect(erasure).toMatchObject({ state: 'requested' });
  expect(erasure?.problem).toContain('does not answer');
});
