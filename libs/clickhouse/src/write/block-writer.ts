import { randomUUID } from 'node:crypto';
import { type ClickHouseClient, type ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import { FinalError } from '@sluice/contracts';
import { isTraced, errorShard, SpanKind, withinSpan } from '@sluice/service';
import { AcceptedRows } from '../refused-rows/accepted-rows.js';
import { type ClickHouseConfig } from '../connection/config.js';
import { contentErrors } from '../rows/content-errors.js';
import { type Row, type RowBlock } from '../rows/encode-rows.js';
import { InsertError } from '../rows/insert-error.js';
import { ForeignViews } from './foreign-views.js';
import { type CountsInserts } from './insert-metrics.js';
import { apartSettings, clusterSettings, insertSettings, quorumSettings } from '../rows/insert-settings.js';
import { hasUnlikeArrays } from '../rows/unlike-arrays.js';
import { ownViews } from './own-views.js';
import { refillView } from './refill-view.js';
import { type LookUp, lookUpIn, lookUpOnCluster, onBoth } from '../look-up/look-up.js';
import { findRefusal } from '../rows/refusal.js';
import { canLookUpStates, withoutOldStates } from '../look-up/old-states.js';
import { canLookUp, withoutRepeats } from '../look-up/repeats.js';
import { Sieve } from '../refused-rows/sieve.js';
import { missingRows } from '../look-up/stored-rows.js';
import {
  type Answers,
  type AppendedBlock,
  type BrokenPartCounts,
  type FilledTarget,
  type InsertedBlock,
  type RefusedRow,
  TableWriter,
} from './table-writer.js';
import { Trials } from '../refused-rows/trials.js';

/** Failures of a block, for any reason, after which it is searched for unreadable rows. */
const failuresBeforeSieve = 3;
/** Upper bound of rows that are refused at once while this process has stored none in their table. */
const maxUnproved = 100;
/** Larger blocks of such rows are refused only after this time. */
const unprovedMs = 10_000;
/**
 * Upper bound of the ids under which the missing rows of a replay are inserted. ClickHouse remembers each, so a block
 * whose rows were deleted and replayed as many times waits until it has forgotten some.
 */
const maxIds = 100;

/** Stores blocks in one server, or in one shard. */
export class BlockWriter extends TableWriter {
  private readonly settings: ClickHouseSettings;
  /** Finds every row whose INSERT was acknowledged. */
  readonly lookUp: LookUp;
  private readonly isOnCluster: boolean;
  private readonly sieve: Sieve;
  private readonly foreignViews: ForeignViews;
  private readonly trials = new Trials();
  private readonly acceptedRows = new AcceptedRows();

  constructor(
    private readonly client: ClickHouseClient,
    { CLICKHOUSE_CLUSTER, CLICKHOUSE_DURABILITY }: Partial<ClickHouseConfig> = {},
    private readonly metrics?: CountsInserts,
    filledTargets: ReadonlyMap<string, readonly FilledTarget[]> = ownViews,
  ) {
    super();
    this.isOnCluster = CLICKHOUSE_CLUSTER !== undefined;
    this.settings = {
      ...insertSettings,
      ...(this.isOnCluster && clusterSettings),
      ...(CLICKHOUSE_DURABILITY === 'quorum' && quorumSettings),
    };
    this.lookUp = this.isOnCluster ? lookUpOnCluster(client) : lookUpIn(client);
    this.sieve = new Sieve(client);
    this.foreignViews = new ForeignViews(client, this.lookUp, metrics, filledTargets);
  }

  override async insert<R extends Row>(table: string, block: InsertedBlock<R>): Promise<RefusedRow<R>[]> {
    const { id, partition, replay, possibleRepeats = [] } = block;
    const subject = `look-up of states in ${table}`;
    const canStillLookUp = (): Promise<boolean> => canLookUpStates(this.lookUp, table);
    const rows = await this.tryLookUp({ table, subject, canStillLookUp }, block, this.lookUp, (lookUp) =>
      withoutOldStates(lookUp, table, block, possibleRepeats),
    );
    const refused = await this.insertReadable(table, { id, partition, rows });
    if (replay) await this.insertAgain(table, { id, partition, rows }, refused);
    return refused;
  }

  /** @param elsewhere looks up rows that other shards may hold */
  override async append<R extends Row>(
    table: string,
    block: AppendedBlock<R>,
    elsewhere?: LookUp,
  ): Promise<RefusedRow<R>[]> {
    return (await this.appendCounting(table, block, elsewhere)).refused;
  }

  override async appendWithView<R extends Row>(
    table: string,
    view: FilledTarget,
    block: AppendedBlock<R>,
  ): Promise<RefusedRow<R>[]> {
    const { refused, storedBefore } = await this.appendCounting(table, block);
    if (storedBefore > 0) await this.refill(table, view, block);
    return refused;
  }

  /** @throws when ClickHouse does not answer. */
  async ping(signal?: AbortSignal): Promise<void> {
    const result = await this.client.ping({ select: false, ...(signal && { abort_signal: signal }) });
    if (!result.success) throw result.error;
  }

  override async answers(signal?: AbortSignal): Promise<Answers> {
    return new Map([
      [
        '',
        await this.ping(signal).then(
          () => null,
          (error: unknown) => error,
        ),
      ],
    ]);
  }

  override async brokenParts(): Promise<BrokenPartCounts> {
    const answer = await this.client.query({
      query: `SELECT table, count() AS parts FROM system.detached_parts
              WHERE database = currentDatabase() AND startsWith(reason, 'broken') GROUP BY table`,
      format: 'JSONEachRow',
    });
    const rows = await answer.json<{ table: string; parts: string }>();
    return new Map(rows.map(({ table, parts }) => [table, Number(parts)]));
  }

  override close(): Promise<void> {
    return this.client.close();
  }

  /** Appends the block, and also counts the rows of a replay that the table held before. */
  private async appendCounting<R extends Row>(
    table: string,
    block: AppendedBlock<R>,
    elsewhere?: LookUp,
  ): Promise<{ refused: RefusedRow<R>[]; storedBefore: number }> {
    const { id, partition, replay, possibleRepeats } = block;
    const lookUp = elsewhere ? onBoth(this.lookUp, elsewhere) : this.lookUp;
    const [missing, rows] = await this.tryLookUp(ownLookUp(table, lookUp), block, lookUp, async (countedLookUp) => {
      const candidates = replay ? await missingRows(countedLookUp, table, block) : block.rows;
      return [candidates, await withoutRepeats(countedLookUp, table, candidates, possibleRepeats)] as const;
    });
    const refused = await this.insertReadable(table, { id, partition, rows });
    const isWhole = !replay || (await this.insertMissing(table, { id, partition, rows }, refused));
    if (!isWhole) throw new Error(`${table} lacks rows that it acknowledged`);
    return { refused, storedBefore: block.rows.length - missing.length };
  }

  /**
   * Inserts a replay under a new id, because ClickHouse may have dropped the INSERT before it (see `insertMissing`).
   * A look-up would read the whole table, and could not distinguish a merged row from a lost one.
   */
  private async insertAgain<R extends Row>(
    table: string,
    { id, partition, rows }: RowBlock<R>,
    refused: readonly RefusedRow<R>[],
  ): Promise<void> {
    const stored = withoutRefused(rows, refused);
    if (stored.length === 0) return;
    await this.send(table, { id: `${id}#${randomUUID()}`, partition, rows: stored }).catch(withoutMessage);
  }

  /**
   * ClickHouse can remember a token whose rows it has lost; it then drops the INSERT of a replay. Rows that are still
   * missing are inserted under the next id. Every process that replays the block uses the same ids in the same order,
   * each after the INSERT before was answered. A late INSERT of a dead owner therefore repeats an id and is dropped.
   * Resolves with whether the table holds all rows.
   */
  private async insertMissing<R extends Row>(
    table: string,
    { id, partition, rows }: RowBlock<R>,
    refused: readonly RefusedRow<R>[],
  ): Promise<boolean> {
    const expected = withoutRefused(rows, refused);
    for (let n = 2; ; n++) {
      const expectedBlock = { id, partition, rows: expected };
      const missing = await this.tryLookUp(ownLookUp(table, this.lookUp), expectedBlock, this.lookUp, (lookUp) =>
        missingRows(lookUp, table, expectedBlock),
      );
      if (missing.length === 0) return true;
      if (n > maxIds) return false;
      await this.send(table, { id: `${id}#${n}`, partition, rows: missing }).catch(withoutMessage);
    }
  }

  private async insertReadable<R extends Row>(table: string, block: RowBlock<R>): Promise<RefusedRow<R>[]> {
    if (block.rows.length === 0) return [];
    try {
      await this.send(table, block);
      return [];
    } catch (error) {
      const refusal = findRefusal(error);
      if (refusal) return this.insertWithoutUnreadable(table, block, refusal);
      this.metrics?.failed(table, error, 'server');
      throw error;
    }
  }

  /** Returns the rows of a refused block that ClickHouse cannot read, and inserts the rest under the same id. */
  private async insertWithoutUnreadable<R extends Row>(
    table: string,
    block: RowBlock<R>,
    error: ClickHouseError,
  ): Promise<RefusedRow<R>[]> {
    const { failures, sinceMs, isReadable } = this.trials.countRefusal(table, block);
    const isLookedThrough = contentErrors.has(error.code) || (failures >= failuresBeforeSieve && !isReadable);
    const unreadable = isLookedThrough ? await this.unreadable(table, block) : new Map<R, string>();
    this.metrics?.failed(table, error, unreadable.size > 0 ? 'content' : 'server');
    if (unreadable.size === 0) return this.giveUpOrWait(table, block, error);
    const rows = block.rows.filter((row) => !unreadable.has(row));
    if (rows.length === 0 && !(await this.readsOthers(table, unreadable.size, sinceMs))) throw new InsertError(error);
    if (rows.length > 0) {
      const readableBlock = { ...block, rows };
      await this.send(table, readableBlock).catch((secondError: unknown) => {
        const refusal = findRefusal(secondError);
        if (!refusal) throw secondError;
        return this.giveUpOrWait(table, readableBlock, refusal);
      });
    }
    return [...unreadable].map(([message, reason]) => ({ message, reason }));
  }

  /** The rows that ClickHouse cannot read; none when the search fails, so that `Trials` decides. */
  private async unreadable<R extends Row>(table: string, block: RowBlock<R>): Promise<Map<R, string>> {
    try {
      const unreadable = await this.sieve.unreadable(table, block.rows);
      if (unreadable.size === 0) this.trials.noteReadable(table, block);
      return unreadable;
    } catch {
      return new Map();
    }
  }

  /** True when the table reads a row that it took before; if none is known, when few rows are bad or time passed. */
  private async readsOthers(table: string, rows: number, sinceMs: number): Promise<boolean> {
    const accepted = this.acceptedRows.findRow(table);
    return accepted ? this.sieve.reads(table, accepted) : rows <= maxUnproved || sinceMs >= unprovedMs;
  }

  private async refill(table: string, view: FilledTarget, block: RowBlock): Promise<void> {
    try {
      await refillView(this.client, { source: table, ...view, isOnCluster: this.isOnCluster }, block);
      this.trials.noteAccepted(view.name, block);
    } catch (error) {
      const refusal = findRefusal(error);
      if (!refusal) throw error;
      this.trials.countRefusal(view.name, block);
      await this.giveUpOrWait(table, block, refusal, view.name);
    }
  }

  /**
   * Looks up rows of a block. A look-up that ClickHouse refuses, or that takes too long, counts like a refused INSERT:
   * the block is cut, and a row whose look-up is refused alone while others are answered is given up.
   * @throws FinalError or InsertError when ClickHouse refuses; another error when it does not answer.
   */
  private async tryLookUp<Found>(
    { table, subject, canStillLookUp }: TriedLookUp,
    block: RowBlock,
    lookUp: LookUp,
    work: (lookUp: LookUp) => Promise<Found>,
  ): Promise<Found> {
    let queries = 0;
    const countingLookUp: LookUp = (...args) => {
      queries++;
      return lookUp(...args);
    };
    try {
      const outcome = await work(countingLookUp);
      // Work without a query proves nothing about look-ups.
      if (queries > 0) this.trials.noteAccepted(subject, block);
      return outcome;
    } catch (error) {
      const refusal = findRefusal(error);
      if (!refusal) throw error;
      this.metrics?.failed(table, refusal, 'server');
      this.trials.countRefusal(subject, block);
      const isHopeless = await this.trials.judgeBlock(subject, block, refusal.code, canStillLookUp);
      if (!isHopeless) throw new InsertError(refusal, errorShard(error));
      const why = `ClickHouse refused the look-up of the row: ${refusal.type ?? refusal.code}`;
      throw new FinalError(why, { cause: refusal });
    }
  }

  /** @throws FinalError or InsertError, always. */
  private async giveUpOrWait(table: string, block: RowBlock, error: ClickHouseError, target = table): Promise<never> {
    const isHopeless = await this.trials.judgeBlock(target, block, error.code, () => this.takesAccepted(table));
    if (!isHopeless) throw new InsertError(error);
    const refuser = target === table ? 'ClickHouse' : target;
    throw new FinalError(`${refuser} refused the row: ${error.type ?? error.code}`, { cause: error });
  }

  /** True when the table still takes a row that it took before, under the same id; undefined if no such row is known. */
  private async takesAccepted(table: string): Promise<boolean | undefined> {
    const repeat = this.acceptedRows.makeRepeat(table);
    if (!repeat) return undefined;
    try {
      await this.foreignViews.insert(table, repeat, this.settings);
      return true;
    } catch {
      return false;
    }
  }

  private async send(table: string, block: RowBlock): Promise<void> {
    const startedAt = performance.now();
    const settings = hasUnlikeArrays(block.rows) ? { ...this.settings, ...apartSettings } : this.settings;
    const bytes = await this.traced(table, block, () => this.foreignViews.insert(table, block, settings));
    this.metrics?.inserted(table, { rows: block.rows.length, bytes, tookMs: performance.now() - startedAt });
    this.trials.noteAccepted(table, block);
    this.acceptedRows.add(table, block);
  }

  private traced<T>(table: string, { id, rows }: RowBlock, work: () => Promise<T>): Promise<T> {
    if (!isTraced()) return work();
    const attributes = { 'db.system.name': 'clickhouse', 'sluice.rows': rows.length, 'sluice.block': id };
    return withinSpan(`insert ${table}`, () => ({ kind: SpanKind.CLIENT, attributes }), work);
  }
}

/** A look-up that counts like an INSERT when it is refused. */
interface TriedLookUp {
  /** The table that is written. */
  readonly table: string;
  /** Look-ups with the same subject prove that ClickHouse answers such look-ups. */
  readonly subject: string;
  /** Resolves with true when ClickHouse answers the same look-up of another message. */
  readonly canStillLookUp: () => Promise<boolean>;
}

/** Look-ups in the table that is written. */
const ownLookUp = (table: string, lookUp: LookUp): TriedLookUp => ({
  table,
  subject: `look-up in ${table}`,
  canStillLookUp: () => canLookUp(lookUp, table),
});

function withoutRefused<R extends Row>(rows: readonly R[], refused: readonly RefusedRow<R>[]): readonly R[] {
  if (refused.length === 0) return rows;
  const isRefused = new Set(refused.map(({ message }) => message));
  return rows.filter((row) => !isRefused.has(row));
}

/** Rethrows an error. @throws InsertError in place of ClickHouse's own error, whose message may quote rows. */
function withoutMessage(error: unknown): never {
  const refusal = findRefusal(error);
  throw refusal ? new InsertError(refusal) : error;
}
