import { Logger } from '@nestjs/common';
import { type ClickHouseClient, type ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import { stateErrors } from '../rows/content-errors.js';
import { type RowBlock } from '../rows/encode-rows.js';
import { insertRows } from '../rows/insert-rows.js';
import { ignoringViews } from '../rows/insert-settings.js';
import { type LookUp } from '../look-up/look-up.js';
import { missingRows } from '../look-up/stored-rows.js';
import { findRefusal } from '../rows/refusal.js';
import { fillView } from './fill-view.js';
import { type CountsInserts } from './insert-metrics.js';
import { ownViews } from './own-views.js';
import { type FilledTarget } from './table-writer.js';

/** Time for which errors of views are ignored in a table after one failed; the next INSERT tries the views again. */
const ignoredMs = 5 * 60_000;
/** A view of a table whose INSERTs take longer counts as slow. */
const slowMs = 4_000;
const slowCode = 'SLOW';
/** The server ended the INSERT because of its time: ignoring errors does not make a view faster. */
const timeoutExceeded = '159';
/** An INSERT without an answer for so long was ended by its sender. */
const endedMs = 100_000;
/** Errors about the server that a view makes by itself: its target or its rights are gone. */
const brokenViewErrors: ReadonlySet<string> = new Set(['60', '81', '497']);
const listTimeoutSeconds = 5;
/** Upper bound of views that are named for one table. */
const maxViews = 20;

/** Foreign views of a table, and their failures. */
interface TableViews {
  /** Views that fail or are slow, with their errors. */
  readonly failing: Map<string, string>;
  /** Time until which errors of its views are ignored. */
  ignoredUntil: number;
  slowUntil: number;
}

/**
 * Stores blocks in tables on which others have hung materialized views. Such a view cannot refuse a block: when an INSERT
 * is refused and the table has foreign views, it is repeated under its id without regard to errors of views, and views of
 * ours are filled from the rows of the block. The first INSERT regards all views, so that one without foreign views is
 * the only one (docs/decisions/0110-foreign-views.md).
 */
export class ForeignViews {
  private readonly logger = new Logger(ForeignViews.name);
  private readonly tables = new Map<string, TableViews>();

  constructor(
    private readonly client: ClickHouseClient,
    private readonly lookUp: LookUp,
    private readonly metrics?: CountsInserts,
    private readonly filledTargets: ReadonlyMap<string, readonly FilledTarget[]> = ownViews,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Inserts a block, and resolves with its bytes.
   * @throws ClickHouseError when the table itself, or a view of ours, refuses it; another error without an answer.
   */
  async insert(table: string, block: RowBlock, settings: ClickHouseSettings): Promise<number> {
    const startedAt = this.now();
    const views = this.tables.get(table);
    try {
      const bytes =
        views && startedAt < views.ignoredUntil
          ? await this.insertIgnoring(table, block, settings)
          : await this.insertStrictly(table, block, settings);
      await this.passed(table, startedAt);
      return bytes;
    } catch (error) {
      const tookMs = this.now() - startedAt;
      if (tookMs > slowMs) await this.noteSlow(table);
      const refusal = findRefusal(error);
      const isEnded = refusal ? refusal.code === timeoutExceeded : tookMs > endedMs;
      if (!isEnded || !(await this.isStored(table, block))) throw error;
      await this.fillOwn(table, block, { ...settings, ...ignoringViews });
      return block.rows.reduce((sum, { value }) => sum + value.length, 0);
    }
  }

  /**
   * True when a view of others held an INSERT up and its block is in the table. A table without partitions stores the
   * block as one part, before its views run. Blocks of other tables are looked up row by row when they are replayed.
   */
  private async isStored(table: string, block: RowBlock): Promise<boolean> {
    if ((await this.listViews(table)).length === 0) return false;
    const [row] = await this.select<{ partition_key: string }>(
      'SELECT partition_key FROM system.tables WHERE database = currentDatabase() AND name = {table:String}',
      { table },
    );
    if (row?.partition_key !== '') return false;
    return (await missingRows(this.lookUp, table, block)).length < block.rows.length;
  }

  private async insertStrictly(table: string, block: RowBlock, settings: ClickHouseSettings): Promise<number> {
    try {
      const bytes = await insertRows(this.client, table, block, settings);
      this.work(table);
      return bytes;
    } catch (error) {
      const refusal = findRefusal(error);
      if (!refusal || refusal.code === timeoutExceeded) throw error;
      const views = await this.listViews(table);
      if (views.length === 0) throw error;
      const bytes = await this.insertIgnoring(table, block, settings);
      await this.noteFailure(table, views, refusal);
      return bytes;
    }
  }

  /** Stores the block whatever the views do, then fills those of ours. */
  private async insertIgnoring(table: string, block: RowBlock, settings: ClickHouseSettings): Promise<number> {
    const ignoringSettings = { ...settings, ...ignoringViews };
    const bytes = await insertRows(this.client, table, block, ignoringSettings);
    await this.fillOwn(table, block, ignoringSettings);
    return bytes;
  }

  private async fillOwn(table: string, block: RowBlock, settings: ClickHouseSettings): Promise<void> {
    for (const view of this.filledTargets.get(table) ?? []) await fillView(this.client, table, view, block, settings);
  }

  private async noteFailure(table: string, views: readonly string[], refusal: ClickHouseError): Promise<void> {
    const blamedViews = await this.findNamed(views, refusal.message);
    // An error of the server that names no view may be that of a moment.
    if (blamedViews.length === 0 && stateErrors.has(refusal.code) && !brokenViewErrors.has(refusal.code)) return;
    const tableViews = this.openTable(table);
    tableViews.ignoredUntil = this.now() + ignoredMs;
    for (const view of blamedViews.length > 0 ? blamedViews : views)
      this.setFailing(table, tableViews, view, refusal.type ?? refusal.code);
  }

  /** Views that ClickHouse names in its error, by themselves or by their target. The text decides about nothing else. */
  private async findNamed(views: readonly string[], message: string): Promise<string[]> {
    const namedViews = views.filter((view) => isNamed(view, message));
    if (namedViews.length > 0 || views.length < 2) return namedViews;
    const targets = await this.select<{ view: string; target: string }>(
      `SELECT concat(database, '.', name) AS view, extract(create_table_query, '\\\\sTO (\\\\S+)') AS target FROM system.tables
       WHERE view IN {views:Array(String)}`,
      { views },
    );
    return targets.flatMap(({ view, target }) => (target !== '' && isNamed(target, message) ? [view] : []));
  }

  /** Records that an INSERT was stored; a table is rid of slow views when one of its INSERTs is fast again. */
  private async passed(table: string, startedAt: number): Promise<void> {
    const now = this.now();
    if (now - startedAt > slowMs) return this.noteSlow(table);
    const views = this.tables.get(table);
    if (views && views.slowUntil !== 0 && now > views.slowUntil) {
      views.slowUntil = 0;
      this.remove(table, views, (code) => code === slowCode);
    }
  }

  /** Records that no view of the table fails. */
  private work(table: string): void {
    const views = this.tables.get(table);
    if (views) this.remove(table, views, (code) => code !== slowCode);
  }

  private async noteSlow(table: string): Promise<void> {
    const names = await this.listViews(table);
    if (names.length === 0) return;
    const views = this.openTable(table);
    views.slowUntil = this.now() + ignoredMs;
    for (const name of names) if (!views.failing.has(name)) this.setFailing(table, views, name, slowCode);
  }

  private setFailing(table: string, { failing }: TableViews, view: string, code: string): void {
    const before = failing.get(view);
    if (before === code) return;
    if (before !== undefined) this.metrics?.viewFails(table, { view, code: before }, false);
    failing.set(view, code);
    this.metrics?.viewFails(table, { view, code }, true);
    this.logger.warn(`the view ${view} of others on ${table} fails or is slow (${code}); rows are stored without it`);
  }

  private remove(table: string, { failing }: TableViews, isOver: (code: string) => boolean): void {
    for (const [view, code] of failing)
      if (isOver(code)) {
        failing.delete(view);
        this.metrics?.viewFails(table, { view, code }, false);
      }
  }

  private openTable(table: string): TableViews {
    const views = this.tables.get(table) ?? {
      failing: new Map<string, string>(),
      ignoredUntil: -Infinity,
      slowUntil: 0,
    };
    this.tables.set(table, views);
    return views;
  }

  /**
   * Views that run in an INSERT into the table and are not ours, as `database.name`, also those on the targets of our
   * views. ClickHouse lists them at the tables, whether or not the user may see the views. Empty when it does not answer.
   */
  private async listViews(table: string): Promise<string[]> {
    const filledTargets = this.filledTargets.get(table) ?? [];
    const rows = await this.select<{ view: string }>(
      `SELECT DISTINCT concat(dependency.1, '.', dependency.2) AS view FROM system.tables
       ARRAY JOIN arrayZip(dependencies_database, dependencies_table) AS dependency
       WHERE database = currentDatabase() AND name IN {tables:Array(String)}
         AND NOT (dependency.1 = currentDatabase() AND has({own:Array(String)}, dependency.2))
       ORDER BY view LIMIT ${maxViews}`,
      { tables: [table, ...filledTargets.map(({ target }) => target)], own: filledTargets.map(({ name }) => name) },
    );
    return rows.map(({ view }) => view);
  }

  private async select<T>(query: string, query_params: Record<string, unknown>): Promise<T[]> {
    try {
      const result = await this.client.query({
        query,
        query_params,
        format: 'JSONEachRow',
        clickhouse_settings: { max_execution_time: listTimeoutSeconds },
        abort_signal: AbortSignal.timeout(listTimeoutSeconds * 1_000),
      });
      return await result.json<T>();
    } catch {
      return [];
    }
  }
}

const isNamed = (name: string, message: string): boolean =>
  new RegExp(`(?<![\\w.])${escapeText(name)}(?!\\w)`).test(message.replaceAll('`', ''));

const escapeText = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
