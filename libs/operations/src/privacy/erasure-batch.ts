import { randomBytes } from 'node:crypto';
import { daysOf } from './closure.js';
import { beginMutations, type Mutation, mutationsOf, oldPartsOf, type Target, targetsOf } from './erase-rows.js';
import { countByErasure } from './count-rows.js';
import { type Erasure } from './erasure.js';
import { clearTimes, type ErasureWorld, lift, peopleIn, reasonToStayOpen } from './eraser.js';
import { inParallel } from './in-parallel.js';
import { type HashedPeople, together } from './people.js';
import { openIds, sealIds } from './sealed-ids.js';
import { type Finding, verifyRaw, verifyRows } from './verify-rows.js';

/** Takes erasures through the states from the deletion on, as batches: one mutation per table for all of a batch. */
export class ErasureBatches {
  /** Tables of the batches whose mutations this process has begun, or found begun. */
  private readonly begun = new Map<string, readonly Target[]>();

  constructor(private readonly world: ErasureWorld) {}

  /** Puts erasures into a batch. Nothing is deleted before all of them are written as members of it. */
  async form(erasures: readonly Erasure[]): Promise<Erasure[]> {
    const { key, store, servers, tables, now } = this.world;
    const batch = randomBytes(9).toString('base64url');
    const people = erasures.map((one) => peopleIn(key, one));
    const rows = await countByErasure(servers, people, tables);
    const at = new Date(now()).toISOString();
    // Views that are asked by time are asked once for all members, on days of any of them.
    const [first] = erasures;
    const days = await Promise.all(
      together(people.flat()).map(({ source, users, anonymous }) => daysOf(servers, source, [...users, ...anonymous])),
    );
    return inParallel([...erasures.entries()], ([index, erasure]) =>
      store.put(erasure, {
        state: 'deleting',
        batch,
        batches: erasure.batches + 1,
        rows: summed(erasure.rows, rows[index] ?? {}),
        mutations: [],
        reached: { ...erasure.reached, deleting: at },
        sealed: sealIds(key, erasure.request, {
          ...openIds(key, erasure),
          days: erasure === first ? days.flat() : [],
        }),
      }),
    );
  }

  /** Continues a batch: begins its mutations, or checks whether they are done and nothing is left. */
  async carryOn(members: readonly Erasure[]): Promise<Erasure[]> {
    const batch = members[0]?.batch ?? '';
    const targets = this.begun.get(batch) ?? (await this.begin(batch, members));
    const begun = await mutationsOf(targets, batch);
    const waitsFor = (await reasonToWait(targets, batch, begun)) ?? this.reasonToWaitLonger(members);
    const mutations = begun.map(({ server, table, id }) => ({ server, table, id }));
    if (waitsFor !== undefined) return this.noted(members, waitsFor, mutations);
    const findings = await this.verify(targets, members);
    if (findings.length > 0) return this.reopened(members, findings, mutations);
    const at = new Date(this.world.now()).toISOString();
    return inParallel(members, (one) =>
      this.world.store.put(one, {
        state: 'verified',
        mutations,
        problem: undefined,
        reached: { ...one.reached, verified: at },
      }),
    );
  }

  private async begin(batch: string, members: readonly Erasure[]): Promise<readonly Target[]> {
    const targets = await targetsOf(this.world.servers, this.peopleOf(members), this.world.tables);
    await beginMutations(targets, batch);
    this.begun.set(batch, targets);
    return targets;
  }

  /** Lifts the suppression of a verified erasure, unless it is kept, and sets until when the erasure waits. */
  async settle(erasure: Erasure): Promise<Erasure> {
    const lifted = await lift(this.world, erasure);
    const clearAt = await clearTimes(this.world);
    const reached = { ...lifted.reached, waiting: new Date(this.world.now()).toISOString() };
    return this.world.store.put(lifted, { state: 'waiting', clearAt, reached });
  }

  /** Looks again at erasures that wait: rows that came back reopen them, and those that are clear are closed. */
  async watch(waiting: readonly Erasure[]): Promise<Erasure[]> {
    if (waiting.length === 0) return [];
    const targets = await targetsOf(this.world.servers, this.peopleOf(waiting), this.world.tables);
    const findings = await verifyRaw(targets);
    if (findings.length > 0) return this.reopened(await this.among(waiting), findings);
    return inParallel(waiting, (one) => this.closeIfClear(one));
  }

  /** Selects the erasures that have rows again; all, if the counts name none. */
  private async among(waiting: readonly Erasure[]): Promise<Erasure[]> {
    const { key, servers, tables } = this.world;
    const rows = await countByErasure(
      servers,
      waiting.map((one) => peopleIn(key, one)),
      tables,
    );
    const found = waiting.filter((_, index) => Object.values(rows[index] ?? {}).some((count) => count > 0));
    return found.length > 0 ? found : [...waiting];
  }

  private async closeIfClear(erasure: Erasure): Promise<Erasure> {
    const { clearAt, reached } = erasure;
    const now = new Date(this.world.now()).toISOString();
    if (!clearAt || clearAt.kafka > now || clearAt.backups > now) return erasure;
    const reason = await reasonToStayOpen(this.world, erasure);
    if (reason !== undefined)
      return reason === erasure.problem ? erasure : this.world.store.put(erasure, { problem: reason });
    const closed = {
      state: 'closed',
      sealed: undefined,
      problem: undefined,
      reached: { ...reached, closed: now },
    } as const;
    return this.world.store.put(erasure, closed);
  }

  /** Verification must find the rows of any INSERT that was under way when the person was suppressed, so it waits. */
  private reasonToWaitLonger(members: readonly Erasure[]): string | undefined {
    const { verifyAfterMs, now } = this.world;
    const since = Math.max(...members.map(({ reached }) => Date.parse(reached.resolved ?? reached.deleting ?? '')));
    return now() < since + verifyAfterMs ? 'an INSERT that was under way may still end' : undefined;
  }

  private verify(targets: readonly Target[], members: readonly Erasure[]): Promise<Finding[]> {
    const fresh = members.filter(({ until }) => until === undefined).map((one) => openIds(this.world.key, one));
    return verifyRows(this.world.servers, targets, {
      ids: fresh.flatMap(({ asked }) => asked),
      people: this.peopleOf(members),
      days: fresh.flatMap(({ days }) => days),
    });
  }

  private noted(members: readonly Erasure[], problem: string, mutations: Erasure['mutations']): Promise<Erasure[]> {
    return inParallel(members, (one) =>
      one.problem === problem && one.mutations.length === mutations.length
        ? Promise.resolve(one)
        : this.world.store.put(one, { problem, mutations }),
    );
  }

  /** Rows found after the deletion came later than it: the ends are read again, and the next batch deletes the rows. */
  private reopened(
    members: readonly Erasure[],
    findings: readonly Finding[],
    mutations: Erasure['mutations'] = [],
  ): Promise<Erasure[]> {
    const problem = `rows were found: ${findings.map(({ path, rows }) => `${rows} in ${path}`).join(', ')}`;
    return inParallel(members, (one) => this.world.store.put(one, { state: 'resolved', problem, mutations }));
  }

  private peopleOf(members: readonly Erasure[]): HashedPeople[] {
    return together(members.flatMap((one) => peopleIn(this.world.key, one)));
  }
}

/** What ClickHouse still does for a batch; undefined when it has deleted everything. */
async function reasonToWait(
  targets: readonly Target[],
  batch: string,
  mutations: readonly Mutation[],
): Promise<string | undefined> {
  const failed = mutations.find(({ failure }) => failure !== '');
  if (failed) return `ClickHouse cannot go on with ${failed.id} of ${failed.table}: ${failed.failure}`;
  const open = mutations.filter(({ isDone }) => !isDone);
  if (open.length > 0) return `ClickHouse deletes from ${[...new Set(open.map(({ table }) => table))].join(', ')}`;
  const parts = await oldPartsOf(targets, batch);
  return parts > 0 ? `${parts} parts that were replaced still lie on a disk of ClickHouse` : undefined;
}

function summed(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sum = { ...a };
  for (const [table, rows] of Object.entries(b)) if (rows > 0) sum[table] = (sum[table] ?? 0) + rows;
  return sum;
}
