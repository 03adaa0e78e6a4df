import { FinalError } from '@sluice/contracts';
import { errorCode, errorShard } from '@sluice/service';
import { BlockWriter } from './block-writer.js';
import { createClickHouse } from '../connection/client.js';
import { type ClickHouseConfig } from '../connection/config.js';
import { type Row } from '../rows/encode-rows.js';
import { type InsertMetrics } from './insert-metrics.js';
import { type LookUp } from '../look-up/look-up.js';
import { shardDatabase, shardedTables } from '../connection/shards.js';
import {
  type Answers,
  type AppendedBlock,
  type BlockPlaces,
  type BrokenPartCounts,
  type FilledTarget,
  type InsertedBlock,
  type RefusedRow,
  TableWriter,
} from './table-writer.js';

/** A shard and its writers: `local` for the sharded tables, `copies` for the tables that every shard has. */
interface Shard {
  readonly name: string;
  readonly local: BlockWriter;
  readonly copies: BlockWriter;
}

/** There is no map of shards yet, or it names a shard whose address this process does not know. */
class UnknownShardError extends Error {
  override readonly name = 'UnknownShardError';
  readonly code = 'UNKNOWN_SHARD';

  constructor(
    message: string,
    readonly shard?: string,
  ) {
    super(message);
  }
}

/** A failure of one of the shards, which a retry may fix. */
class ShardError extends Error {
  override readonly name = 'ShardError';
  readonly code: string;

  constructor(
    readonly shard: string,
    cause: unknown,
  ) {
    super(`shard ${shard}: ${String(cause)}`, { cause });
    this.code = errorCode(cause);
  }
}

/** Names the shard in an error that a retry may fix. An error that already names a shard is from a look-up there. */
async function nameShard<T>({ name }: Shard, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof FinalError || errorShard(error) !== undefined ? error : new ShardError(name, error);
  }
}

/**
 * Stores blocks in shards (docs/decisions/0060-shards.md). Rows of a sharded table go to the shard of their block, and
 * are looked up on every shard that may hold them. Rows of the other tables go to every shard, each with a token and
 * look-ups of its own; the block is stored when all have it.
 */
export class ShardedWriter extends TableWriter {
  private readonly shards: ReadonlyMap<string, Shard>;

  constructor(config: ClickHouseConfig, urls: ReadonlyMap<string, string>, metrics?: InsertMetrics) {
    super();
    const shardAt = (name: string, CLICKHOUSE_URL: string): Shard => {
      const shardConfig = { ...config, CLICKHOUSE_URL };
      const counts = metrics?.ofShard(name);
      return {
        name,
        local: new BlockWriter(
          createClickHouse(shardConfig, shardDatabase(config.CLICKHOUSE_DATABASE)),
          config,
          counts,
        ),
        copies: new BlockWriter(createClickHouse(shardConfig), config, counts),
      };
    };
    this.shards = new Map(Array.from(urls, ([name, url]) => [name, shardAt(name, url)]));
  }

  insert<R extends Row>(table: string, block: InsertedBlock<R>): Promise<RefusedRow<R>[]> {
    return this.onEach(block, (writer) => writer.insert(table, block));
  }

  async append<R extends Row>(table: string, block: AppendedBlock<R>): Promise<RefusedRow<R>[]> {
    if (!shardedTables.has(table)) return this.onEach(block, (writer) => writer.append(table, block));
    const { shard: name = '', mayLieOn = [] } = block;
    const shard = this.shard(name);
    const elsewhere = this.lookUpOn(mayLieOn.filter((shardName) => shardName !== name));
    return nameShard(shard, shard.local.append(table, block, elsewhere));
  }

  appendWithView<R extends Row>(table: string, view: FilledTarget, block: AppendedBlock<R>): Promise<RefusedRow<R>[]> {
    return this.onEach(block, (writer) => writer.appendWithView(table, view, block));
  }

  async answers(signal?: AbortSignal): Promise<Answers> {
    const answers = [...this.shards].map(
      async ([name, { copies }]) => [name, (await copies.answers(signal)).get('')] as const,
    );
    return new Map(await Promise.all(answers));
  }

  private get writers(): BlockWriter[] {
    return [...this.shards.values()].flatMap(({ local, copies }) => [local, copies]);
  }

  async brokenParts(): Promise<BrokenPartCounts> {
    const sums = new Map<string, number>();
    for (const counts of await Promise.all(this.writers.map((writer) => writer.brokenParts())))
      for (const [table, parts] of counts) sums.set(table, (sums.get(table) ?? 0) + parts);
    return sums;
  }

  async close(): Promise<void> {
    await Promise.all(this.writers.map((writer) => writer.close()));
  }

  /** Asks all of these shards; undefined without any. An answer that lacks one of them would be wrong. */
  private lookUpOn(names: readonly string[]): LookUp | undefined {
    if (names.length === 0) return undefined;
    return async <Found>(...args: Parameters<LookUp>) =>
      (
        await Promise.all(
          names.map((name) => {
            const shard = this.shard(name);
            return nameShard(shard, shard.local.lookUp<Found>(...args));
          }),
        )
      ).flat();
  }

  /**
   * Resolves with the rows that any shard refused. Other shards may have stored them: the replay of the dead letter
   * looks them up on each. After a failure on one shard, the block is stored again on all.
   */
  private async onEach<R extends Row>(
    { allShards = [] }: Partial<BlockPlaces>,
    store: (writer: BlockWriter) => Promise<RefusedRow<R>[]>,
  ): Promise<RefusedRow<R>[]> {
    const shards = allShards.map((name) => this.shard(name));
    if (shards.length === 0) throw new UnknownShardError('there is no map of shards');
    // Waits for all, so that none is still storing when the block's turn ends.
    const outcomes = await Promise.allSettled(shards.map((shard) => nameShard(shard, store(shard.copies))));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    if (failures.length > 0) throw failures.find((error) => !(error instanceof FinalError)) ?? failures[0];
    const refused = new Map<R, RefusedRow<R>>();
    for (const outcome of outcomes)
      if (outcome.status === 'fulfilled') for (const row of outcome.value) refused.set(row.message, row);
    return [...refused.values()];
  }

  private shard(name: string): Shard {
    const shard = this.shards.get(name);
    if (!shard) throw new UnknownShardError(`CLICKHOUSE_SHARDS has no shard "${name}"`, name);
    return shard;
  }
}
