import { randomBytes } from 'node:crypto';
import { findDays } from './closure.js';
import {
  beginMutations,
  type Mutation,
  readMutations,
  countOldParts,
  type ErasureTarget,
  findTargets,
} from './erase-rows.js';
import { countByErasure } from './count-rows.js';
import { type Erasure } from './erasure.js';
import { clearTimes, type ErasureResources, liftSuppression, erasurePeople, reasonToStayOpen } from './eraser.js';
import { inParallel } from './in-parallel.js';
import { type HashedPeople, mergePeople } from './people.js';
import { openIds, sealIds } from './sealed-ids.js';
import { type Finding, verifyRaw, verifyRows } from './verify-rows.js';

/** Takes erasures through the states from the deletion on, as batches: one mutation per table for all of a batch. */
export class ErasureBatches {
  /** Tables of the batches whose mutations this process has begun, or found begun. */
  private readonly targetsByBatch = new Map<string, readonly ErasureTarget[]>();

  constructor(private readonly resources: ErasureResources) {}

  /** Puts erasures into a batch. Nothing is deleted before all of them are written as members of it. */
  async form(erasures: readonly Erasure[]): Promise<Erasure[]> {
    const { key, store, servers, tables, now } = this.resources;
    const batch = randomBytes(9).toString('base64url');
    const people = erasures.map((erasure) => erasurePeople(key, erasure));
    const rows = await countByErasure(servers, people, tables);
    const time = new Date(now()).toISOString();
    // Views that are asked by time are asked once for all members, on days of any member.
    const [firstErasure] = erasures;
    const days = await findDays(servers, mergePeople(people.flat()));
    return inParallel([...erasures.entries()], ([index, erasure]) =>
      store.put(erasure, {
        state: 'deleting',
        batch,
        batches: erasure.batches + 1,
        rows: addCounts(erasure.rows, rows[index] ?? {}),
        mutations: [],
        reached: { ...erasure.reached, deleting: time },
        sealed: sealIds(key, erasure.request, {
          ...openIds(key, erasure),
          days: erasure === firstErasure ? days : [],
        }),
      }),
    );
  }

  /** Continues a batch: begins its mutations, or checks whether they are done and nothing is left. */
  async continueBatch(members: readonly Erasure[]): Promise<Erasure[]> {
    const batch = members[0]?.batch ?? '';
    const targets = this.targetsByBatch.get(batch) ?? (await this.begin(batch, members));
    const batchMutations = await readMutations(targets, batch);
    const waitReason = (await reasonToWait(targets, batch, batchMutations)) ?? this.reasonToWaitForInserts(members);
    const mutations = batchMutations.map(({ server, table, id }) => ({ server, table, id }));
    if (waitReason !== undefined) return this.noteProblem(members, waitReason, mutations);
    const findings = await this.verify(targets, members);
    if (findings.length > 0) return this.reopen(members, findings, mutations);
    const time = new Date(this.resources.now()).toISOString();
    return inParallel(members, (member) =>
      this.resources.store.put(member, {
        state: 'verified',
        mutations,
        problem: undefined,
        reached: { ...member.reached, verified: time },
      }),
    );
  }

  private async begin(batch: string, members: readonly Erasure[]): Promise<readonly ErasureTarget[]> {
    const targets = await findTargets(this.resources.servers, this.mergeMembers(members), this.resources.tables);
    await beginMutations(targets, batch);
    this.targetsByBatch.set(batch, targets);
    return targets;
  }

  /** Lifts the suppression of a verified erasure, unless it is kept, and sets until when the erasure waits. */
  async settle(erasure: Erasure): Promise<Erasure> {
    const lifted = await liftSuppression(this.resources, erasure);
    const clearAt = await clearTimes(this.resources);
    const reached = { ...lifted.reached, waiting: new Date(this.resources.now()).toISOString() };
    return this.resources.store.put(lifted, { state: 'waiting', clearAt, reached });
  }

  /** Looks again at erasures that wait: rows that came back reopen them, and those that are clear are closed. */
  async watch(waiting: readonly Erasure[]): Promise<Erasure[]> {
    if (waiting.length === 0) return [];
    const targets = await findTargets(this.resources.servers, this.mergeMembers(waiting), this.resources.tables);
    const findings = await verifyRaw(targets);
    if (findings.length > 0) return this.reopen(await this.selectWithRows(waiting), findings);
    return inParallel(waiting, (erasure) => this.closeIfClear(erasure));
  }

  /** Selects the erasures that have rows again; all, if the counts name none. */
  private async selectWithRows(waiting: readonly Erasure[]): Promise<Erasure[]> {
    const { key, servers, tables } = this.resources;
    const rows = await countByErasure(
      servers,
      waiting.map((erasure) => erasurePeople(key, erasure)),
      tables,
    );
    const withRows = waiting.filter((_, index) => Object.values(rows[index] ?? {}).some((count) => count > 0));
    return withRows.length > 0 ? withRows : [...waiting];
  }

  private async closeIfClear(erasure: Erasure): Promise<Erasure> {
    const { clearAt, reached } = erasure;
    const now = new Date(this.resources.now()).toISOString();
    if (!clearAt || clearAt.kafka > now || clearAt.backups > now) return erasure;
    const reason = await reasonToStayOpen(this.resources, erasure);
    if (reason !== undefined)
      return reason === erasure.problem ? erasure : this.resources.store.put(erasure, { problem: reason });
    const closed = {
      state: 'closed',
      sealed: undefined,
      problem: undefined,
      reached: { ...reached, closed: now },
    } as const;
    return this.resources.store.put(erasure, closed);
  }

  /** Verification must find the rows of any INSERT that was under way when the person was suppressed, so it waits. */
  private reasonToWaitForInserts(members: readonly Erasure[]): string | undefined {
    const { verifyAfterMs, now } = this.resources;
    const since = Math.max(...members.map(({ reached }) => Date.parse(reached.resolved ?? reached.deleting ?? '')));
    return now() < since + verifyAfterMs ? 'an INSERT that was under way may still end' : undefined;
  }

  private verify(targets: readonly ErasureTarget[], members: readonly Erasure[]): Promise<Finding[]> {
    const openMembers = members
      .filter(({ until }) => until === undefined)
      .map((member) => openIds(this.resources.key, member));
    return verifyRows(this.resources.servers, targets, {
      ids: openMembers.flatMap(({ asked: namedIds }) => namedIds),
      people: this.mergeMembers(members),
      days: openMembers.flatMap(({ days }) => days),
    });
  }

  private noteProblem(
    members: readonly Erasure[],
    problem: string,
    mutations: Erasure['mutations'],
  ): Promise<Erasure[]> {
    return inParallel(members, (member) =>
      member.problem === problem && member.mutations.length === mutations.length
        ? Promise.resolve(member)
        : this.resources.store.put(member, { problem, mutations }),
    );
  }

  /** Opens erasures again whose rows came after the deletion: the ends are read again, and the next batch deletes the rows. */
  private reopen(
    members: readonly Erasure[],
    findings: readonly Finding[],
    mutations: Erasure['mutations'] = [],
  ): Promise<Erasure[]> {
    const problem = `rows were found: ${findings.map(({ path, rows }) => `${rows} in ${path}`).join(', ')}`;
    return inParallel(members, (member) => this.resources.store.put(member, { state: 'resolved', problem, mutations }));
  }

  private mergeMembers(members: readonly Erasure[]): HashedPeople[] {
    return mergePeople(members.flatMap((member) => erasurePeople(this.resources.key, member)));
  }
}

/** Work of ClickHouse for a batch that is not done; undefined when it has deleted everything. */
async function reasonToWait(
  targets: readonly ErasureTarget[],
  batch: string,
  mutations: readonly Mutation[],
): Promise<string | undefined> {
  const failed = mutations.find(({ failure }) => failure !== '');
  if (failed) return `ClickHouse cannot go on with ${failed.id} of ${failed.table}: ${failed.failure}`;
  const open = mutations.filter(({ isDone }) => !isDone);
  if (open.length > 0) return `ClickHouse deletes from ${[...new Set(open.map(({ table }) => table))].join(', ')}`;
  const parts = await countOldParts(targets, batch);
  return parts > 0 ? `${parts} parts that were replaced still lie on a disk of ClickHouse` : undefined;
}

function addCounts(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sum = { ...a };
  for (const [table, rows] of Object.entries(b)) if (rows > 0) sum[table] = (sum[table] ?? 0) + rows;
  return sum;
}
