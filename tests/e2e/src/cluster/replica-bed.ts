import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient } from '@clickhouse/client';
import { BlockWriter, type ClickHouseConfig, createClickHouse, onCluster } from '@sluice/clickhouse';
import { type GivenCluster, givenCluster, missingCluster, shell } from './given-cluster.js';

/** One shard of the given cluster, with a replicated table of its own. */
export class ReplicaBed {
  readonly cluster: GivenCluster;
  readonly urls: readonly string[];
  readonly database = `cluster_test_${randomBytes(4).toString('hex')}`;
  private readonly clients: ClickHouseClient[] = [];

  constructor() {
    const cluster = givenCluster();
    if (!cluster) throw new Error(missingCluster);
    this.cluster = cluster;
    this.urls = [...cluster.shards.values()][0] ?? [];
  }

  config(url = this.urls[0] ?? '', durability?: 'quorum'): ClickHouseConfig {
    return {
      CLICKHOUSE_URL: url,
      CLICKHOUSE_DATABASE: this.database,
      CLICKHOUSE_USER: process.env['CLICKHOUSE_USER'] ?? 'default',
      CLICKHOUSE_PASSWORD: process.env['CLICKHOUSE_PASSWORD'] ?? '',
      CLICKHOUSE_CLUSTER: this.cluster.name,
      ...(durability && { CLICKHOUSE_DURABILITY: durability }),
    };
  }

  /** @param timeoutMs after which the sender gives up on a request */
  client(url = this.urls[0] ?? '', timeoutMs?: number): ClickHouseClient {
    const client = createClickHouse(this.config(url), this.database, {}, timeoutMs);
    this.clients.push(client);
    return client;
  }

  writer(url = this.urls[0] ?? '', durability?: 'quorum', timeoutMs?: number): BlockWriter {
    return new BlockWriter(this.client(url, timeoutMs), this.config(url, durability));
  }

  /** Creates the database, and a table as a migration would. */
  async prepare(): Promise<void> {
    const client = createClickHouse(this.config(), 'default');
    this.clients.push(client);
    for (const statement of [`CREATE DATABASE IF NOT EXISTS ${this.database}`, tableIn(this.database)]) {
      await client.command({ query: onCluster(statement, this.cluster.name) });
    }
  }

  async command(url: string | undefined, query: string): Promise<void> {
    await this.client(url).command({ query });
  }

  async select<T>(url: string | undefined, query: string): Promise<T[]> {
    return (await this.client(url).query({ query, format: 'JSONEachRow' })).json<T>();
  }

  /** Numbers of the rows at a replica, after it has fetched all. */
  async ids(url: string | undefined): Promise<number[]> {
    await this.command(url, 'SYSTEM SYNC REPLICA rows LIGHTWEIGHT');
    return (await this.select<{ n: number }>(url, 'SELECT n FROM rows ORDER BY n')).map(({ n }) => n);
  }

  /** Pauses Keeper until the work is done and `ms` have passed; resumes it even if the work fails. */
  async whileKeeperIsPaused<T>(work: () => Promise<T>, ms: number): Promise<T> {
    await shell(this.cluster.pauseKeeper);
    try {
      const [result] = await Promise.all([work(), sleep(ms)]);
      return result;
    } finally {
      await shell(this.cluster.resumeKeeper);
    }
  }

  async stop(): Promise<void> {
    const client = createClickHouse(this.config(), 'default');
    this.clients.push(client);
    await client.command({
      query: `DROP DATABASE IF EXISTS ${this.database} ON CLUSTER \`${this.cluster.name}\` SYNC`,
    });
    await Promise.all(this.clients.map((client) => client.close()));
  }
}

const tableIn = (database: string): string => `CREATE TABLE IF NOT EXISTS ${database}.rows
  (n UInt32, kafka_partition UInt16, kafka_offset UInt64, kafka_timestamp DateTime64(3, 'UTC'))
  ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 10000`;
