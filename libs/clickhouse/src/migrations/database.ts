import { text } from 'node:stream/consumers';
import { type ClickHouseClient } from '@clickhouse/client';
import { type ClickHouseConfig } from '../connection/config.js';
import { createClickHouse } from '../connection/client.js';
import { schemaSettings } from '../connection/own-settings.js';
import { MigrationError } from './migration.js';
import { inTwoSteps } from '../schema/view-statement.js';
import { onCluster } from './on-cluster.js';
import { onShard, shardDatabase, type ShardTables, findShardTables } from '../connection/shards.js';

/** Shorter than the timeout of a request, so that ClickHouse's own error arrives. */
const clusterTimeoutSeconds = '100';

/** Runs statements on a single server, or on every replica of the cluster that is configured. */
export class Database {
  private canReplace: Promise<boolean> | undefined;

  private constructor(
    readonly client: ClickHouseClient,
    private readonly name: string,
    private readonly cluster: string | undefined,
    /** Undefined where ClickHouse is one server. */
    readonly shard: ShardTables | undefined,
  ) {}

  /** @param name the database of the tables, or `default`, which exists on a server without tables too */
  static async use<T>(config: ClickHouseConfig, name: string, work: (database: Database) => Promise<T>): Promise<T> {
    const client = createClickHouse(config, name);
    try {
      return await work(new Database(client, name, config.CLICKHOUSE_CLUSTER, findShardTables(config)));
    } finally {
      await client.close();
    }
  }

  /** The statements that are sent for one of a migration; only shards need several. */
  statements(query: string): string[] {
    const statements = this.shard ? onShard(query, this.shard) : [query];
    const { cluster } = this;
    return cluster === undefined ? statements : statements.map((statement) => onCluster(statement, cluster));
  }

  async run(query: string): Promise<void> {
    const twoSteps = inTwoSteps(query);
    // Replacing a view in one step needs the right to drop tables. What a kill between the two leaves is repaired.
    const queries = twoSteps && !(await this.mayReplace()) ? twoSteps.steps : [query];
    for (const stepQuery of queries) for (const statement of this.statements(stepQuery)) await this.send(statement);
  }

  private async mayReplace(): Promise<boolean> {
    this.canReplace ??= this.isGranted(`DROP TABLE ON \`${this.name.replace(/[`\\]/g, '\\$&')}\`.*`);
    return this.canReplace;
  }

  /** Sends a statement as it is. */
  async send(query: string): Promise<void> {
    await this.client.command({
      query,
      clickhouse_settings: {
        ...schemaSettings,
        // The statement fails while a replica is unreachable; that replica runs it when it is back.
        ...(this.cluster !== undefined && { distributed_ddl_task_timeout: clusterTimeoutSeconds }),
      },
    });
  }

  async select<T>(query: string, params: Record<string, unknown> = {}): Promise<T[]> {
    const result = await this.client.query({ query, query_params: params, format: 'JSONEachRow' });
    return result.json<T>();
  }

  /** True when the user has a right, such as `SHOW TABLES ON sluice.events`. */
  async isGranted(right: string): Promise<boolean> {
    // The statement takes no FORMAT.
    const { stream } = await this.client.exec({ query: `CHECK GRANT ${right}` });
    return (await text(stream)).trim() === '1';
  }

  /** Counts the shards that the server knows of a cluster. */
  async countShards(cluster: string): Promise<number> {
    const [row] = await this.select<{ shards: number }>(
      'SELECT toUInt32(uniqExact(shard_num)) AS shards FROM system.clusters WHERE cluster = {cluster:String}',
      { cluster },
    );
    return row?.shards ?? 0;
  }

  /** @throws MigrationError when the server does not know the cluster, or it has several shards without names. */
  async checkCluster(): Promise<void> {
    const cluster = this.shard?.cluster;
    if (cluster !== undefined && (await this.countShards(cluster)) === 0) {
      throw new MigrationError(`CLICKHOUSE_SHARDS_CLUSTER: ClickHouse knows no cluster "${cluster}"`);
    }
    if (this.cluster === undefined || this.shard) return;
    const shards = await this.countShards(this.cluster);
    if (shards === 1) return;
    // Only one shard knows a deduplication token: a block repeated on another shard would be stored twice.
    throw new MigrationError(
      shards === 0
        ? `CLICKHOUSE_CLUSTER: ClickHouse knows no cluster "${this.cluster}"`
        : `CLICKHOUSE_CLUSTER: "${this.cluster}" has ${shards} shards; name them in CLICKHOUSE_SHARDS`,
    );
  }

  /** @throws MigrationError when tables are not replicated: no migration can make them so. */
  async checkReplicated(name: string): Promise<void> {
    if (this.cluster === undefined) return;
    const alone = await this.select<{ name: string }>(
      `SELECT name FROM system.tables
       WHERE database IN {names:Array(String)} AND engine LIKE '%MergeTree' AND engine NOT LIKE 'Replicated%'`,
      { names: [name, shardDatabase(name)] },
    );
    if (alone.length === 0) return;
    const tables = alone.map((table) => table.name).join(', ');
    throw new MigrationError(`CLICKHOUSE_CLUSTER: these tables are not replicated, take another database: ${tables}`);
  }
}
