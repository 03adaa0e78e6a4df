import { randomUUID } from 'node:crypto';
import { type ClickHouseConfig, createClickHouse, shardDatabase, shardedTables } from '@sluice/clickhouse';
import { describeFailure, ServerUnreachableError } from '../operation-error.js';

type ClickHouse = ReturnType<typeof createClickHouse>;

/** Statements about a large table may take this long. */
const timeoutMs = 60 * 60_000;

/** Limits after which questions end without an answer. */
export interface QuestionLimits {
  /** Ends the questions that are open, also in ClickHouse. */
  readonly signal?: AbortSignal | undefined;
  /** Seconds for each question; without a bound by default. */
  readonly maxSeconds?: number | undefined;
}

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

  constructor(config: ClickHouseConfig, limits: QuestionLimits = {}) {
    const { CLICKHOUSE_DATABASE: database, CLICKHOUSE_SHARDS: shards, CLICKHOUSE_CLUSTER: cluster } = config;
    this.reader = makeClient(config, limits);
    this.all = shards
      ? [...shards].map(([name, CLICKHOUSE_URL]) => ({
          name,
          client: makeClient({ ...config, CLICKHOUSE_URL }, limits),
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

function makeClient(config: ClickHouseConfig, { signal, maxSeconds = 0 }: QuestionLimits): ClickHouse {
  const client = createClickHouse(
    config,
    config.CLICKHOUSE_DATABASE,
    {
      // A batch of a thousand people is a condition of hundreds of kilobytes.
      ...{ max_query_size: String(64 * 1024 * 1024), max_ast_elements: '1000000' },
      max_expanded_ast_elements: '1000000',
      max_execution_time: maxSeconds,
      // Without it, ClickHouse would go on with a question whose asker has left.
      cancel_http_readonly_queries_on_client_close: 1,
    },
    timeoutMs,
  );
  return signal === undefined ? client : stopWithSignal(client, signal);
}

/** The client, whose open questions end with the signal, and which asks none after it. */
function stopWithSignal(client: ClickHouse, signal: AbortSignal): ClickHouse {
  const [query, exec, close] = [client.query.bind(client), client.exec.bind(client), client.close.bind(client)];
  const queryIds: string[] = [];
  let killed = Promise.resolve();
  const killAll = (): void => void (killed = kill(client, queryIds));
  signal.addEventListener('abort', killAll, { once: true });
  const makeLimits = (): { query_id: string; abort_signal: AbortSignal } => {
    signal.throwIfAborted();
    const query_id = randomUUID();
    queryIds.push(query_id);
    return { query_id, abort_signal: signal };
  };
  client.query = async (question) => query({ ...question, ...makeLimits() });
  client.exec = async (question) => exec({ ...question, ...makeLimits() });
  client.close = async () => {
    await killed;
    await close();
  };
  return client;
}

/**
 * Ends questions that ClickHouse goes on with although their connection is closed: it does not look at it while it makes
 * the set of an `IN (SELECT …)`. Users may end their own. Behind a balancer of replicas it may reach another one; the
 * question then ends at its time.
 */
async function kill(client: ClickHouse, questions: readonly string[]): Promise<void> {
  if (questions.length === 0) return;
  const ids = questions.map((id) => `'${id}'`).join(', ');
  await client.command({ query: `KILL QUERY WHERE query_id IN (${ids}) ASYNC` }).catch(() => undefined);
}

export async function queryRows<Row>(
  client: ClickHouse,
  query: string,
  parameters: Record<string, unknown> = {},
  settings: Record<string, string | number> = {},
): Promise<Row[]> {
  return askClickHouse(async () => {
    const result = await client.query({
      query,
      query_params: parameters,
      format: 'JSONEachRow',
      clickhouse_settings: settings,
    });
    return result.json<Row>();
  });
}

/**
 * Waits for an answer of ClickHouse.
 * @throws ServerUnreachableError with the name of ClickHouse's error: its text can repeat a question with the ids in it.
 */
export async function askClickHouse<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { type, code } = error as { type?: string; code?: string };
    const reason = type === undefined ? describeFailure(error) : `${type} (${String(code)})`;
    throw new ServerUnreachableError('clickhouse', `ClickHouse cannot be used: ${reason}`);
  }
}

/** The answer of a question whose only column is `n`. */
export async function readCount(...question: Parameters<typeof queryRows>): Promise<number> {
  const [row] = await queryRows<{ n: string | number }>(...question);
  return Number(row?.n ?? 0);
}

/** The place of a table on a server, quoted. */
export const quoteTable = ({ databaseOf }: TableServer, table: string): string => `\`${databaseOf(table)}\`.${table}`;
