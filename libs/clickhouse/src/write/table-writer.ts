import { type Row, type RowBlock } from '../rows/encode-rows.js';

/** A block for a table that only appends. */
export interface AppendedBlock<R extends Row = Row> extends RowBlock<R>, Partial<BlockPlaces> {
  /** True when the table may hold some of its rows already. */
  readonly replay: boolean;
  /** The rows that are stored only if the table has no row of their message yet. */
  readonly possibleRepeats: readonly R[];
}

/** A block for a table whose engine merges copies of a row. */
export interface InsertedBlock<R extends Row = Row> extends RowBlock<R>, Partial<BlockPlaces> {
  readonly replay?: boolean;
  /** The rows that an entity's table leaves out if their message is stored with a lower version. */
  readonly possibleRepeats?: readonly R[];
}

/** The shard that a block belongs to, and those on which its rows may lie. */
export interface BlockPlaces {
  /** The shard that stores the rows of sharded tables. */
  readonly shard: string | undefined;
  /** The shards that may hold rows of the block, or copies of them. */
  readonly mayLieOn: readonly string[];
  /** The shards that store the rows of all other tables. */
  readonly allShards: readonly string[];
}

/** A row that its table can never take, and the reason. */
export interface RefusedRow<R extends Row> {
  readonly message: R;
  readonly reason: string;
}

/** A materialized view and the table that it fills. */
export interface FilledTarget {
  readonly name: string;
  readonly target: string;
}

export type BrokenPartCounts = ReadonlyMap<string, number>;

/** The error of each server that does not answer, null for one that does, by shard; a single server's name is empty. */
export type Answers = ReadonlyMap<string, unknown>;

/**
 * Stores blocks of finished rows, in one server or in shards. Rows that ClickHouse cannot read are returned as refused;
 * all other rows of the block are stored (docs/decisions/0025-refused-rows.md).
 * @throws FinalError when a block of several rows must be cut, or a block of one row is refused. A retry may fix any
 * other error.
 */
export abstract class TableWriter {
  /**
   * Stores a block in one INSERT under its id. A second INSERT with that id changes nothing while ClickHouse remembers
   * it. Use it for tables whose engine merges copies of a row.
   */
  abstract insert<R extends Row>(table: string, block: InsertedBlock<R>): Promise<RefusedRow<R>[]>;

  /**
   * Stores a block in a table that only appends, like `insert`. Only the missing rows of a replay are stored, under the
   * same id, and only the possible repeats whose message is new.
   */
  abstract append<R extends Row>(table: string, block: AppendedBlock<R>): Promise<RefusedRow<R>[]>;

  /** Appends to a table with a materialized view, whose target merges copies: both get the rows, or the call fails. */
  abstract appendWithView<R extends Row>(
    table: string,
    view: FilledTarget,
    block: AppendedBlock<R>,
  ): Promise<RefusedRow<R>[]>;

  /** Number of parts that ClickHouse has detached as broken, by table; tables without any are left out. */
  abstract brokenParts(): Promise<BrokenPartCounts>;

  abstract answers(signal?: AbortSignal): Promise<Answers>;

  abstract close(): Promise<void>;
}
