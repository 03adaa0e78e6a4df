import { type ClickHouseConfig, createClickHouse, shardDatabase, shardedTables } from '@sluice/clickhouse';
import { reasonOf, ServerUnreachableError } from '../operation-error.js';

type ClickHouse = ReturnType<typeof createClickHouse>;

/** Statements about a large table may take this long. */
const timeoutMs = 60 * 60_000;

/** A ClickHouse that holds tables: the one server, or a shard. */
export interface TableServer {
  /** Name of the shard; empty where there is one server. */
  readonly name: string;
  readonly client: ClickHouse;
  /** Cluster whose replicas all hold these tables; undefined for a single server. */
  readonly cluster: string | undefined;
  readonly databaseOf: (table: string) => string;
}

/** All servers that hold rows, and the one that reads all of them. */
export class TableServers {
  readonly all: readonly TableServer[];
  /** Reads the views and, over all shards, each table under its name. */
  readonly reader: ClickHouse;

  constructor(config: ClickHouseConfig) {
    const { CLICKHOUSE_DATABASE: database, CLICKHOUSE_SHARDS: shards, CLICKHOUSE_CLUSTER: cluster } = config;
    this.reader = clientOf(config);
    this.all = shards
      ? [...shards].map(([name, CLICKHOUSE_URL]) => ({
          name,
          client: clientOf({ ...config, CLICKHOUSE_URL }),
          cluster,
          databaseOf: (table: string) => (shardedTables.has(table) ? shardDatabase(database) : database),
        }))
      : [{ name: '', client: this.reader, cluster, databaseOf: () => database }];
  }

  async close(): Promise<void> {
    const clients = new Set([this.reader, ...this.all.map(({ client }) => client)]);
    await Promise.all([...clients].map((client) => client.close()));
  }
}

const clientOf = (config: ClickHouseConfig): ClickHouse =>
  createClickHouse(
    config,
    config.CLICKHOUSE_DATABASE,
    // A batch of a thousand people is a condition of hundreds of kilobytes.
    { max_query_size: String(64 * 1024 * 1024), max_ast_elements: '1000000', max_expanded_ast_elements: '1000000' },
    timeoutMs,
  );

export async function select<Row>(
  client: ClickHouse,
  query: string,
  parameters: Record<string, unknown> = {},
  settings: Record<string, string | number> = {},
): Promise<Row[]> {
  return asked(async () => {
    const result = await client.query({
      query,
      query_params: parameters,
      format: 'JSONEachRow',
      clickhouse_settings: { max_execution_time: 0, ...settings },
    });
    return result.json<Row>();
  });
}

/**
 * Waits for an answer of ClickHouse.
 * @throws ServerUnreachableError with the name of ClickHouse's error: its text can repeat a question with the ids in it.
 */
export async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { type, code } = error as { type?: string; code?: string };
    const reason = type === undefined ? reasonOf(error) : `${type} (${String(code)})`;
    throw new ServerUnreachableError('clickhouse', `ClickHouse cannot be used: ${reason}`);
  }
}

/** The answer of a question whose only column is `n`. */
export async function countOf(...question: Parameters<typeof select>): Promise<number> {
  const [row] = await select<{ n: string | number }>(...question);
  return Number(row?.n ?? 0);
}

/** The place of a table on a server, quoted. */
export const placeOf = ({ databaseOf }: TableServer, table: string): string => `\`${databaseOf(table)}\`.${table}`;
