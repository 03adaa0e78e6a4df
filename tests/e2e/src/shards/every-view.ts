import { migrate, readMigrations } from '@sluice/clickhouse';
import { type ShardServers } from './shard-servers.js';

/** The operator's views join the others' tables, so it is last. */
const apps = ['tracking', 'catalog', 'push-interaction', 'operator'];
const whole = "from = '2020-01-01', to = '2100-01-01'";

const listQueries = (source: string): string[] => [
  'SELECT * FROM identity_claims',
  'SELECT * FROM identity_links',
  `SELECT * FROM events_resolved(source = '${source}')`,
  'SELECT * FROM event_counts',
  `SELECT * FROM sessions(source = '${source}', ${whole})`,
  `SELECT * FROM retention(source = '${source}', ${whole})`,
  `SELECT * FROM retention(source = '${source}', from = today() - 30, to = today() + 1)`,
  `SELECT * FROM user_timeline(source = '${source}', person = 'user-7')`,
  `SELECT * FROM user_timeline(source = '${source}', person = 'device-of-user-8')`,
  `SELECT * FROM product_performance(source = '${source}', ${whole}, catalog = '${source}')`,
  'SELECT * FROM user_traits',
  'SELECT * FROM freshness',
  `SELECT * FROM sdk_streams(source = '${source}', ${whole})`,
  'SELECT count(), uniqExact(message_id), uniqExact(identity) FROM events',
  'SELECT count() FROM ad_requests',
];

/**
 * Returns the queries whose rows differ from those of one server with the same data, or that find no rows (sdk_streams
 * may find none). Database `one` on shard a stands for that server.
 */
export async function differingViews(servers: ShardServers, source: string): Promise<string[]> {
  const config = {
    CLICKHOUSE_URL: servers.url('a'),
    CLICKHOUSE_DATABASE: 'one',
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
  };
  const files = await Promise.all(
    apps.map((app) => readMigrations(app, new URL(`../../../../apps/${app}/migrations/`, import.meta.url))),
  );
  await migrate(config, files.flat());
  for (const table of ['events', 'identifies', 'ad_requests']) {
    const columns = await servers.select<{ name: string }>(
      'a',
      `SELECT name FROM system.columns WHERE database = 'one' AND table = '${table}' AND default_kind IN ('', 'DEFAULT')`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await servers.command('a', `INSERT INTO one.${table} (${names}) SELECT ${names} FROM sluice.${table}`);
  }
  const different: string[] = [];
  for (const query of listQueries(source)) {
    const [sharded, single] = await Promise.all(
      ['sluice', 'one'].map((database) => servers.select('a', `${query} ORDER BY ALL`, database)),
    );
    if (sharded?.length === 0 && !query.includes('sdk_streams')) different.push(`${query}: empty`);
    if (JSON.stringify(sharded) !== JSON.stringify(single)) different.push(query);
  }
  return different;
}
