import { type TableServer } from '../../privacy/servers.js';
import { type DoctorCheck, type Examination } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { atShard, selectFrom } from '../select-rows.js';

/** Tokens that the scratch table remembers, so that forgetting one takes few INSERTs. */
const scratchWindow = 5;
const ourSettings = { async_insert: 0, insert_deduplicate: 1, wait_end_of_query: 1 } as const;

export const clickhouseTokens: DoctorCheck = {
  check: 'clickhouse.tokens',
  tested: 'an INSERT is done once, and one that is repeated under its token changes nothing while it is in the window',
  run: async (examination) => {
    for (const server of examination.servers.all) {
      const finding = await testServer(server, examination);
      if (finding) return finding;
    }
    return well(
      `a repeat was dropped, and forgotten after ${scratchWindow} INSERTs as asked; plain INSERTs were done once`,
    );
  },
};

async function testServer(server: TableServer, examination: Examination): Promise<Finding | undefined> {
  const onCluster = server.cluster === undefined ? '' : ` ON CLUSTER \`${server.cluster}\``;
  const { table } = examination.scratch;
  const [engine, setting] =
    server.cluster === undefined
      ? ['MergeTree', 'non_replicated_deduplication_window']
      : ['ReplicatedMergeTree', 'replicated_deduplication_window'];
  const command = (query: string): Promise<unknown> => server.client.command({ query });
  await command(
    `CREATE TABLE ${table}_plain${onCluster} (n UInt64) ENGINE = ${engine} ORDER BY n SETTINGS ${setting} = 0`,
  );
  await command(
    `CREATE TABLE ${table}_tokens${onCluster} (n UInt64) ENGINE = ${engine} ORDER BY n SETTINGS ${setting} = ${scratchWindow}`,
  );
  try {
    return (await testRepeats(server, `${table}_plain`)) ?? (await testWindow(server, `${table}_tokens`));
  } finally {
    for (const kind of ['plain', 'tokens']) await command(`DROP TABLE IF EXISTS ${table}_${kind}${onCluster} SYNC`);
  }
}

const insert = (server: TableServer, table: string, n: number, token = ''): Promise<unknown> =>
  server.client.insert({
    table,
    values: [{ n }],
    format: 'JSONEachRow',
    clickhouse_settings: { ...ourSettings, insert_deduplication_token: token },
  });

async function count(server: TableServer, table: string): Promise<number> {
  const [row] = await selectFrom<{ n: number }>(server, `SELECT toUInt32(count()) AS n FROM ${table}`);
  return row?.n ?? 0;
}

/** Rows without a token show whether something on the way sends a request twice. */
async function testRepeats(server: TableServer, table: string): Promise<Finding | undefined> {
  const sent = 10;
  for (let n = 0; n < sent; n++) await insert(server, table, n);
  const rows = await count(server, table);
  if (rows === sent) return undefined;
  return {
    verdict: 'fails',
    found: `${sent} INSERTs made ${rows} rows${atShard(server)}`,
    meaning:
      rows > sent
        ? 'Something between Sluice and ClickHouse repeats requests: rows that are stored without a token are doubled.'
        : 'Rows that ClickHouse acknowledged are not there.',
    action: 'Switch repeats of POST off in the proxy or balancer, or go past it.',
  };
}

async function testWindow(server: TableServer, table: string): Promise<Finding | undefined> {
  await insert(server, table, 0, 'first');
  await insert(server, table, 0, 'first');
  const rows = await count(server, table);
  if (rows !== 1) {
    return {
      verdict: 'fails',
      found: `an INSERT that was repeated under its token made ${rows} rows${atShard(server)}`,
      meaning: 'A block whose INSERT is in doubt is stored twice.',
      action: 'Do not run Sluice on this ClickHouse: docs/decisions/0010-exactly-once.md',
    };
  }
  for (let n = 1; n < scratchWindow; n++) await insert(server, table, n, `token-${n}`);
  await insert(server, table, 0, 'first');
  if ((await count(server, table)) === scratchWindow) return undefined;
  return {
    verdict: 'fails',
    found: `a token was forgotten after fewer INSERTs than its window of ${scratchWindow}${atShard(server)}`,
    meaning: 'A late INSERT is stored a second time.',
    action: 'Do not run Sluice on this ClickHouse: docs/decisions/0010-exactly-once.md',
  };
}
