import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type {} from '@sluice/testing'; // types of `inject`
import { OperationError } from '../operation-error.js';
import { type ErasureState } from '@sluice/console-api';
import { type Erasure } from './erasure.js';
import { type ErasureBed } from './erasure.spec-support.js';
import { type ErasureResources } from './eraser.js';
import { type ErasureRequest } from './request-erasure.js';
import { type ErasureRunOptions } from './run-erasures.js';

// Own topics: those of other specs in the same Kafka hold messages that nobody stores.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `erasure${process.pid}.`;
});

const { ErasureBed: Bed, aSeller, aUser, anAnonymous, otherSource, source } = await import('./erasure.spec-support.js');
const { previewErasure } = await import('./preview-erasure.js');
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
const aPerson = (user: string): readonly [string, string] => [user, `a-${user}`];
const readEvents = (user: string): Promise<{ user_id: string }[]> =>
  bed.rows(`SELECT user_id FROM events WHERE source_id = '${source}' AND anonymous_id = 'a-${user}' ORDER BY user_id`);

/** Asks for the erasure of a user, or of the ids. */
async function ask(user: string, change: Partial<ErasureRequest> = {}): Promise<string> {
  const resources = await bed.resources();
  return (await requestErasure(resources, { ids: [aUser(user)], by: 'test', ...change })).request;
}
/** The erasure of a request as any process knows it. */
const findErasure = async (request: string): Promise<Erasure | undefined> =>
  (await bed.resources()).store.find(request);
const run = async (options: ErasureRunOptions = {}, change: Partial<ErasureResources> = {}): Promise<Erasure[]> =>
  runErasures(await bed.resources(change), { ...quick, ...options });

const rowsOfOne = {
  ...{ events: 3, identifies: 1, users: 1, push_interactions: 1, push_devices: 1 },
  ...{ refused_messages: 2, refused_requests: 1, ad_requests: 1 },
};

it('erases a person with all their ids from every table, and nobody else', async () => {
  await bed.addPeople([aPerson('stays')]);
  await bed.addPeople([aPerson('goes')], otherSource);
  const rowsOfOthers = await bed.rowsByTable();
  await bed.addPeople([aPerson('goes')]);
  const request = await ask('goes');

  await run({ requests: [request] });

  const erasure = await findErasure(request);
  expect(erasure).toMatchObject({ state: 'waiting', ids: { user: 1, anonymous: 1 }, batches: 1 });
  // The source of a refused request is not known, so both are the person's.
  expect(erasure?.rows).toEqual({ ...rowsOfOne, refused_requests: 2 });
  expect(await bed.rowsByTable()).toEqual({ ...rowsOfOthers, refused_requests: 1 });
  expect(erasure?.mutations.map(({ table }) => table).sort()).toEqual(Object.keys(rowsOfOne).sort());
  expect(JSON.stringify({ ...erasure, sealed: '' })).not.toContain('goes');
});

it('erases what names the person as a former id, a group or within a body, and what names others so', async () => {
  const rowsOfOthers = await bed.rowsByTable();
  await bed.addNames('stays', ['stays', 43]);
  const rowsKept = await bed.rowsByTable();
  await bed.addNames('42', ['42', 42]);
  const request = await ask('42');
  const preview = await previewErasure(await bed.resources(), [aUser('42')], false);
  expect(preview.rowsOfOthers).toBe(2);

  await run({ requests: [request] });

  const erasure = await findErasure(request);
  expect(erasure).toMatchObject({ state: 'waiting', batches: 1 });
  const rowsAdded = Object.entries(rowsKept).map(
    ([table, rows]) => [table, rows - (rowsOfOthers[table] ?? 0)] as const,
  );
  expect(erasure?.rows).toEqual(Object.fromEntries(rowsAdded.filter(([, rows]) => rows > 0)));
  expect(await bed.rowsByTable()).toEqual(rowsKept);
});

it('is verified in the end wherever a process was killed, and everyone else keeps all rows', async () => {
  const rowsOfOthers = await bed.rowsByTable();
  const states = ['requested', 'suppressed', 'resolved', 'barrier', 'deleting', 'verified', 'waiting'] as const;
  const cases = states.flatMap((state) => [false, true].map((isAfter) => ({ state, isAfter })));
  const userOf = ({ state, isAfter }: (typeof cases)[number]): string => `killed-${state}-${String(isAfter)}`;
  await bed.addPeople(cases.map((stateCase) => aPerson(userOf(stateCase))));
  const requests = await Promise.all(
    cases.map(async (stateCase) => {
      const request = await ask(userOf(stateCase));
      const dying = runErasures(killedAt(await bed.resources(), stateCase.state, stateCase.isAfter), {
        ...quick,
        requests: [request],
      });
      await expect(dying).rejects.toThrow('killed');
      return request;
    }),
  );
  const resources = await bed.resources();
  for (const [index, { state, isAfter }] of cases.entries()) {
    const reached = states.indexOf(resources.store.find(requests[index] ?? '')?.state as (typeof states)[number]);
    expect(reached).toBe(isAfter || state === 'requested' ? states.indexOf(state) : states.indexOf(state) - 1);
  }

  const erasures = await run();

  for (const request of requests)
    expect(erasures.find((erasure) => erasure.request === request)).toMatchObject({
      state: 'waiting',
      ids: { anonymous: 1 },
    });
  expect(await bed.rowsByTable()).toEqual(rowsOfOthers);
});

/** A process that dies when it would write that it reached a state, or right after it. */
function killedAt(resources: ErasureResources, state: ErasureState, isAfter: boolean): ErasureResources {
  const putErasure = resources.store.put.bind(resources.store);
  resources.store.put = async (erasure, change) => {
    const isThere = (change?.state ?? erasure.state) === state;
    if (isThere && !isAfter) throw new OperationError('killed');
    const writtenErasure = await putErasure(erasure, change);
    if (isThere) throw new OperationError('killed');
    return writtenErasure;
  };
  return resources;
}

describe('a batch', () => {
  const userNames = Array.from({ length: 6 }, (_, index) => `many-${index}`);
  const requests = new Map<string, string>();
  const erasureOf = (name: string): Promise<Erasure | undefined> => findErasure(requests.get(name) ?? '');
  const isDropped = async (id: string, timestamp: number): Promise<boolean> =>
    (await bed.resources()).suppressions.registry.drops(source, { userId: id }, timestamp);

  beforeAll(async () => {
    await bed.addPeople([...userNames, 'returns', 'reverse'].map(aPerson));
    await bed.addPeople([['owner', 'a-shared']], source, 5);
    await bed.addPeople([['visitor', 'a-shared']], source, 2);
    await bed.insert(
      'sellers',
      ['s-1', 's-2'].map((seller_id) => ({ source_id: source, seller_id, email: 'x' })),
    );
    // A seller who left: a state, and its deletion in a part of its own.
    await bed.insert('sellers', [{ source_id: source, seller_id: 's-3', email: 'x', version: 1 }]);
    await bed.insert('sellers', [{ source_id: source, seller_id: 's-3', is_deleted: true, version: 2 }]);
    for (const name of [...userNames, 'returns', 'visitor']) requests.set(name, await ask(name));
    requests.set('reverse', await ask('', { ids: [anAnonymous('a-reverse')], isReverse: true }));
    // The ids of many-0 again.
    requests.set('device', await ask('', { ids: [anAnonymous('a-many-0')], isReverse: true }));
    requests.set('unwelcome', await ask('unwelcome', { keepsSuppressed: true }));
    requests.set('seller', await ask('', { ids: [aSeller('s-1')] }));
    requests.set('seller who left', await ask('', { ids: [aSeller('s-3')] }));
    await run();
  });

  it('has one mutation per table, and the rows of each person', async () => {
    const erasures = await Promise.all([...requests.keys()].map(erasureOf));
    expect(new Set(erasures.map((erasure) => erasure?.batch)).size).toBe(1);
    expect(new Set(erasures.map((erasure) => erasure?.state))).toEqual(new Set(['waiting']));
    for (const name of userNames) expect((await erasureOf(name))?.rows).toEqual(rowsOfOne);
    const mutations = erasures[0]?.mutations.map(({ table }) => table) ?? [];
    expect(mutations).toHaveLength(new Set(mutations).size);
  });

  it('counts rows of an id of two erasures for both', async () => {
    expect((await erasureOf('device'))?.rows).toEqual(rowsOfOne);
  });

  it('lifts the suppression when it is verified, for messages from then on', async () => {
    const until = Date.parse((await erasureOf('returns'))?.until ?? '');
    expect([await isDropped('returns', until - 1), await isDropped('returns', until)]).toEqual([true, false]);
    const { registry } = (await bed.resources()).suppressions;
    expect(registry.drops(source, { anonymousId: 'a-returns' }, until - 1)).toBe(true);
  });

  it('keeps a person suppressed if that was asked for', async () => {
    expect((await erasureOf('unwelcome'))?.until).toBeUndefined();
    expect(await isDropped('unwelcome', Date.now() + 1_000_000)).toBe(true);
  });

  it('leaves out a device whose first user is someone else, and says so', async () => {
    expect(await erasureOf('visitor')).toMatchObject({ ids: { user: 1 }, othersDevices: 1 });
    const remainingEvents = await readEvents('shared');
    expect(remainingEvents.map((row) => row.user_id)).toEqual(['', '', 'owner', 'owner']);
  });

  it('includes the users of a device if that was asked for', async () => {
    expect(await erasureOf('reverse')).toMatchObject({ ids: { user: 1, anonymous: 1 } });
    expect(await readEvents('reverse')).toEqual([]);
  });

  it('erases a seller', async () => {
    expect(await erasureOf('seller')).toMatchObject({ rows: { sellers: 1 } });
    expect(await bed.rows('SELECT seller_id FROM current_sellers')).toEqual([{ seller_id: 's-2' }]);
  });

  it('erases the states and the deletion of a seller who left', async () => {
    expect(await erasureOf('seller who left')).toMatchObject({ state: 'waiting' });
    expect(await bed.rows(`SELECT 1 FROM sellers WHERE seller_id = 's-3'`)).toEqual([]);
  });
});

describe('an erasure that waits for Kafka', () => {
  const later = () => Date.now() + 40 * 86_400_000;
  let restored: string;
  let back: string;
  beforeAll(async () => {
    await bed.addPeople([aPerson('restored'), aPerson('back')]);
    const since = Date.now();
    [restored, back] = [await ask('restored'), await ask('back')];
    await run();
    await bed.addPeople([aPerson('restored'), aPerson('back')]);
    // They came back after the erasure, as a new person.
    await bed.addPeople([aPerson('restored')], source, -1);
    const { again, closed } = await reapplyErasures((await bed.resources()).store, since);
    expect([again.map(({ request }) => request).includes(restored), closed]).toEqual([true, []]);
    await run({ requests: [restored] });
  });

  it('is done again after a restore, without the person who returned', async () => {
    expect(await findErasure(restored)).toMatchObject({ state: 'waiting', reapplied: 1, batches: 2 });
    expect(await readEvents('restored')).toHaveLength(3);
  });

  it('erases rows that came back in another way when it looks again', async () => {
    await run({ requests: [back] });
    expect(await findErasure(back)).toMatchObject({ state: 'waiting', batches: 2 });
    expect(await readEvents('back')).toEqual([]);
  });

  it('is closed without the ids when Kafka and backups are clear, unless ad requests cannot be searched', async () => {
    await run({ requests: [back] }, { now: later, tables: { adRequestPaths: [] } });
    expect((await findErasure(back))?.problem).toContain('PRIVACY_AD_REQUEST_PATHS');
    await run({ requests: [back] }, { now: later });
    const closed = await findErasure(back);
    expect(closed).toMatchObject({ state: 'closed' });
    expect(closed?.sealed).toBeUndefined();
    expect((await reapplyErasures((await bed.resources()).store)).closed).toEqual([back]);
  });
});

it('asked for twice, a person is erased once', async () => {
  expect(await ask('twice')).toBe(await ask('twice'));
});

it('waits for a gateway that does not answer, and names it', async () => {
  const request = await ask('waits');
  await run({ requests: [request], maxMs: 1 }, { gateways: ['http://127.0.0.1:1/metrics'] });
  const erasure = await findErasure(request);
  expect(erasure).toMatchObject({ state: 'requested' });
  expect(erasure?.problem).toContain('does not answer');
});
