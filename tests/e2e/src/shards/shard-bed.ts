import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningKafka, runOperator, type ServerProcess, startKafka } from '@sluice/testing';
import { type ConsumerOptions, startTracking } from '../faults/consumer-process.js';
import { type StreamLoad } from '../load/stream-load.js';
import { shardEvents, shardIdentifies } from './shard-streams.js';
import { ShardServers } from './shard-servers.js';

const migrationOf = {
  events: new URL('../../../../apps/tracking/migrations/0001-events.sql', import.meta.url),
  identifies: new URL('../../../../apps/tracking/migrations/0002-identifies.sql', import.meta.url),
};

/** Output of `operator migrate --json`, as far as tests need it. */
export interface Migrated {
  readonly migrations: string[];
  readonly tableChanges: { readonly table: string; readonly what: string }[];
  readonly mapChange?: { readonly fill: string[]; readonly after: Record<string, number>; readonly mustRest: boolean };
}

/** Raw rows of a table against the messages sent. */
export interface ShardBalance {
  readonly lost: number;
  readonly doubled: number;
}

/** Kafka, servers of ClickHouse that become shards, and the tracking services that store in them. */
export class ShardBed {
  readonly instances: ServerProcess[] = [];
  /** False until `operator migrate` knows of shards. */
  isSharded = false;

  private constructor(
    readonly folder: string,
    readonly kafka: RunningKafka,
    readonly servers: ShardServers,
  ) {}

  static async start(): Promise<ShardBed> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-shards-'));
    const servers = new ShardServers(folder);
    const [kafka] = await Promise.all([startKafka({ dataDir: join(folder, 'kafka') }), servers.add()]);
    return new ShardBed(folder, kafka, servers);
  }

  /** Creates the tables whose rows are counted, with a unique key for each raw row: merges would hide copies. */
  async prepare(shard: string): Promise<void> {
    const local = this.isSharded ? 'sluice_shard' : 'sluice';
    for (const database of new Set([local, 'sluice'])) {
      await this.servers.command(shard, `CREATE DATABASE IF NOT EXISTS ${database}`);
    }
    await this.servers.command(shard, await withCopies('events'), local);
    await this.servers.command(shard, await withCopies('identifies'), 'sluice');
  }

  async migrate(...args: string[]): Promise<Migrated> {
    return JSON.parse(await this.operator('migrate', '--json', ...args)) as Migrated;
  }

  /** Resolves with what the command prints. */
  async operator(...args: string[]): Promise<string> {
    return (await runOperator(args, this.variables)).stdout;
  }

  async consume(crashPoint = '', changes: Partial<ConsumerOptions> = {}): Promise<ServerProcess> {
    const { folder, kafka, servers, variables } = this;
    const options = { brokers: kafka.brokers, clickhouseUrl: servers.url('a'), database: 'sluice', folder };
    const settings = { ...variables, ...changes.settings };
    const instance = await startTracking({ ...options, ...changes, settings }, crashPoint);
    this.instances.push(instance);
    return instance;
  }

  async stopConsumers(graceMs = 30_000): Promise<void> {
    await Promise.all(this.instances.splice(0).map((instance) => instance.stop(graceMs)));
  }

  /** Counts the raw rows of events over all shards, and those of identifies on each. */
  async balances(load: StreamLoad): Promise<Record<string, ShardBalance>> {
    const { servers } = this;
    const [events, identifies] = [load.ids(shardEvents), load.ids(shardIdentifies)];
    const local = this.isSharded ? 'sluice_shard.events' : 'events';
    const perShard = await Promise.all(servers.names.map((name) => this.ids(name, local)));
    const balances: Record<string, ShardBalance> = { events: compareIds(perShard.flat(), events) };
    for (const name of this.isSharded ? servers.names : ['a'])
      balances[`identifies of ${name}`] = compareIds(await this.ids(name, 'identifies'), identifies);
    return balances;
  }

  /** Rows of events on each shard. */
  async shares(): Promise<Record<string, number>> {
    const counts = this.servers.names.map(async (name) => [name, (await this.ids(name, 'sluice_shard.events')).length]);
    return Object.fromEntries(await Promise.all(counts)) as Record<string, number>;
  }

  async stop(): Promise<void> {
    await this.stopConsumers();
    await Promise.all([this.kafka.stop(), this.servers.stop()]);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private get variables(): Record<string, string> {
    const { servers, kafka } = this;
    return {
      KAFKA_BROKERS: kafka.brokers.join(','),
      CLICKHOUSE_URL: servers.url('a'),
      CLICKHOUSE_DATABASE: 'sluice',
      TOPIC_PARTITIONS: '6',
      ...(this.isSharded && { CLICKHOUSE_SHARDS: servers.setting, CLICKHOUSE_SHARDS_CLUSTER: 'shards' }),
    };
  }

  private async ids(shard: string, table: string): Promise<string[]> {
    const rows = await this.servers.select<{ id: string }>(shard, `SELECT toString(message_id) AS id FROM ${table}`);
    return rows.map(({ id }) => id);
  }
}

function compareIds(ids: readonly string[], sent: ReadonlySet<string>): ShardBalance {
  const unique = new Set(ids);
  return { lost: [...sent].filter((id) => !unique.has(id)).length, doubled: ids.length - unique.size };
}

/** The first statement of a migration, with a unique key for each raw row. */
export async function withCopies(table: keyof typeof migrationOf): Promise<string> {
  const [create = ''] = (await readFile(migrationOf[table], 'utf8')).split(/;\s*$/m);
  const query = create
    .replace('kafka_partition UInt16', 'copy UUID DEFAULT generateUUIDv4(), kafka_partition UInt16')
    .replace(/message_id\)\n/, 'message_id, copy)\n');
  if (!/copy UUID[^]*message_id, copy\)/.test(query)) throw new Error(`the migration of ${table} is not as it was`);
  return query;
}
