import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createKafka, listScratch } from '@sluice/kafka';
import { type DoctorReport } from '@sluice/operations';
import { eventually, startClickHouse, startKafka } from '@sluice/testing';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { operator } from '../operator.spec-support.js';

const database = `doctor_spec_${randomUUID().slice(0, 8)}`;
const scratchPrefix = 'sluice-doctor-';
const servers: Server[] = [];

beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
  vi.stubEnv('CLICKHOUSE_URL', inject('clickhouseUrl'));
  vi.stubEnv('CLICKHOUSE_DATABASE', database);
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
});

/** Results of the checks that are not well, by their names. */
async function diagnose(...args: string[]) {
  const { exitCode, stdout, stderr } = await operator('doctor', '--json', ...args);
  const { checks } = JSON.parse(stdout) as DoctorReport;
  const verdicts = (verdict: string) => checks.filter((result) => result.verdict === verdict);
  return { exitCode, stderr, checks, unknown: verdicts('unknown'), fails: verdicts('fails') };
}

async function clickhouse(query: string): Promise<string> {
  const answer = await fetch(`${inject('clickhouseUrl')}/?database=${database}`, { method: 'POST', body: query });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.text()).trim();
}

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const countTables = () =>
  clickhouse(`SELECT count() FROM system.tables WHERE database = '${database}' AND startsWith(name, 'doctor_')`);
/** Lists the scratch topics and groups of this process and another; other specs run a doctor on the same Kafka. */
async function scratch(otherPid = process.pid): Promise<{ topics: string[]; groups: string[] }> {
  const kafka = createKafka({ KAFKA_BROKERS: inject('kafkaBrokers') }, 'test');
  const { topics, groups } = await listScratch(kafka, scratchPrefix);
  const isOwn = (name: string): boolean => [process.pid, otherPid].some((pid) => name.includes(`-${pid}-`));
  return { topics: topics.filter(isOwn), groups: groups.filter(isOwn) };
}

it('finds nothing that fails on a healthy pair, and leaves nothing behind', async () => {
  await operator('migrate');
  const { exitCode, checks, unknown, fails, stderr } = await diagnose();
  expect({ exitCode, unknown, fails, stderr }).toEqual({ exitCode: 0, unknown: [], fails: [], stderr: '' });
  const isPositive = ({ check, verdict }: { check: string; verdict: string }) =>
    verdict === 'ok' && /^(kafka|clickhouse)\./.test(check);
  expect(checks.filter(isPositive).map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      'kafka.commits',
      'kafka.generations',
      'kafka.logs',
      'clickhouse.tokens',
      'clickhouse.windows',
    ]),
  );
  expect(await countTables()).toBe('0');
  expect(await scratch()).toEqual({ topics: [], groups: [] });

  const { stdout } = await operator('doctor');
  expect(stdout).toMatch(/kafka\.durability +ATTENTION +1 broker, 1 copy of each message/);
  expect(stdout).toContain('what to do:  For production: three brokers');
});

it('names a window of 1, a foreign TTL, a projection, and a view of others', async () => {
  await operator('migrate');
  try {
    await clickhouse('ALTER TABLE identifies MODIFY SETTING non_replicated_deduplication_window = 1');
    await clickhouse('ALTER TABLE events MODIFY TTL toDateTime(received_at) + INTERVAL 3 DAY');
    await clickhouse('ALTER TABLE events ADD PROJECTION mine (SELECT user_id ORDER BY user_id)');
    await clickhouse('CREATE TABLE counts (n UInt64) ENGINE = MergeTree ORDER BY n');
    await clickhouse('CREATE MATERIALIZED VIEW count_events TO counts AS SELECT count() AS n FROM events');
    const { exitCode, checks, fails } = await diagnose();
    expect(exitCode).toBe(1);
    expect(fails.map(({ check, found }) => `${check}: ${found}`)).toEqual([
      'clickhouse.windows: the window of tokens is too small for identifies (1 and not 10000)',
      'clickhouse.ttls: a TTL that neither a migration nor TABLE_TTL_DAYS made: events (toDateTime(received_at) + toIntervalDay(3))',
    ]);
    expect(checks.filter(({ check }) => ['clickhouse.settings', 'clickhouse.views'].includes(check))).toMatchObject([
      { verdict: 'attention', found: 'events: projection mine' },
      { verdict: 'attention', found: `${database}.count_events on events` },
    ]);
  } finally {
    await clickhouse('DROP VIEW IF EXISTS count_events');
    await clickhouse('DROP TABLE IF EXISTS counts');
    await clickhouse('ALTER TABLE events DROP PROJECTION IF EXISTS mine');
    await clickhouse('ALTER TABLE events REMOVE TTL');
    await clickhouse('ALTER TABLE identifies MODIFY SETTING non_replicated_deduplication_window = 10000');
  }
});

it('notices a proxy that repeats INSERTs', async () => {
  await operator('migrate');
  const target = new URL(inject('clickhouseUrl'));
  const proxy = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await buffer(incoming);
      const times = incoming.url?.includes('INSERT') === true || body.includes('INSERT') ? 2 : 1;
      for (let n = 1; n <= times; n++) {
        const options = {
          host: target.hostname,
          port: target.port,
          path: incoming.url,
          method: incoming.method,
          headers: incoming.headers,
        };
        const forwarded = request(options);
        forwarded.end(body);
        const [answer] = (await once(forwarded, 'response')) as [typeof incoming];
        const content = await buffer(answer);
        if (n === times) outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(content);
      }
    })();
  });
  vi.stubEnv('CLICKHOUSE_URL', await listen(proxy));
  const { exitCode, fails } = await diagnose();
  expect(exitCode).toBe(1);
  expect(fails).toMatchObject([{ check: 'clickhouse.tokens', found: '10 INSERTs made 20 rows' }]);
  expect(fails[0]?.meaning).toContain('repeats requests');
});

it('names a clock that is ten minutes off, and a spool disk with 1 % left', async () => {
  await operator('migrate');
  const metrics =
    'sluice_build_info{app="gateway",version="0.0.0",host="a"} 1\nsluice_spool_disk_free_ratio 0.01\nsluice_spool_disk_free_files_ratio 0.5\n';
  const url = await listen(
    createServer((_, response) =>
      response.setHeader('date', new Date(Date.now() - 600_000).toUTCString()).end(metrics),
    ),
  );
  const { exitCode, fails } = await diagnose('--gateway', `${url}/metrics`);
  expect(exitCode).toBe(1);
  expect(fails.map(({ found }) => found)).toEqual([
    expect.stringMatching(/^127\.0\.0\.1:\d+ is (599|600|601) s behind$/),
    expect.stringContaining('1 % of its disk and 50 % of its inodes are free'),
  ]);
});

it('names a right that the user of ClickHouse lacks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-doctor-'));
  const server = await startClickHouse({
    dataDir: folder,
    users: [
      {
        name: 'poor',
        password: 'secret',
        grants: ['GRANT SELECT, INSERT ON sluice.events', 'GRANT SELECT ON system.disks'],
      },
    ],
  });
  try {
    vi.stubEnv('CLICKHOUSE_URL', server.url);
    vi.stubEnv('CLICKHOUSE_DATABASE', 'sluice');
    await operator('migrate');
    vi.stubEnv('CLICKHOUSE_USER', 'poor');
    vi.stubEnv('CLICKHOUSE_PASSWORD', 'secret');
    const { exitCode, fails, unknown } = await diagnose('--app', 'tracking');
    expect(exitCode).toBe(1);
    expect(fails).toMatchObject([
      {
        check: 'clickhouse.rights',
        found: expect.stringMatching(/^poor has not the right SELECT, INSERT ON `sluice`\.identifies/) as string,
        action: 'GRANT SELECT, INSERT ON `sluice`.identifies TO poor: docs/rights.md',
      },
    ]);
    expect(unknown.map(({ check }) => check)).toContain('clickhouse.tokens');
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

it('removes what a killed run left', async () => {
  await operator('migrate');
  const program = fileURLToPath(new URL('../main.ts', import.meta.url));
  const run = spawn(process.execPath, [...process.execArgv, program, 'doctor'], { stdio: 'ignore', env: process.env });
  const ended = once(run, 'exit');
  await eventually(async () => expect((await scratch(run.pid)).topics).toHaveLength(1));
  run.kill('SIGKILL');
  await ended;
  expect((await scratch(run.pid)).topics).toHaveLength(1);

  await diagnose();
  expect((await scratch(run.pid)).topics).toEqual([]);
  expect(await countTables()).toBe('0');
  // Kafka keeps the group until the session of the killed member is over; a later run deletes it.
  await eventually(async () => {
    await diagnose();
    expect(await scratch(run.pid)).toEqual({ topics: [], groups: [] });
  });
});

it('removes its own when it is ended by a signal', async () => {
  const program = fileURLToPath(new URL('../main.ts', import.meta.url));
  const run = spawn(process.execPath, [...process.execArgv, program, 'doctor'], { stdio: 'ignore', env: process.env });
  const ended = once(run, 'exit');
  await eventually(async () => expect((await scratch(run.pid)).topics).toHaveLength(1));
  run.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
  await eventually(async () => expect(await scratch(run.pid)).toEqual({ topics: [], groups: [] }));
});

it('is content with three brokers; names topics without min.insync.replicas and with unclean election', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-doctor-'));
  const kafka = await startKafka({ dataDir: folder, brokers: 3 });
  try {
    vi.stubEnv('KAFKA_BROKERS', kafka.brokers.join(','));
    vi.stubEnv('TOPIC_REPLICATION_FACTOR', '3');
    vi.stubEnv('TOPIC_PARTITIONS', '1');
    await operator('migrate');
    const healthy = await diagnose();
    expect({ unknown: healthy.unknown, fails: healthy.fails }).toEqual({ unknown: [], fails: [] });
    expect(healthy.checks.find(({ check }) => check === 'kafka.durability')).toMatchObject({
      verdict: 'ok',
      found: '3 brokers, at least 2 in-sync copies, no unclean election',
    });

    vi.stubEnv('TOPIC_OVERRIDES', 'tracking.track.v1:min-insync-replicas=1');
    await operator('migrate');
    expect((await diagnose()).fails.map(({ found }) => found)).toEqual([
      'min.insync.replicas is 1 for tracking.track.v1',
    ]);

    const admin = createKafka({ KAFKA_BROKERS: kafka.brokers }, 'test').admin();
    await admin.connect();
    const configEntries = [{ name: 'unclean.leader.election.enable', value: 'true' }];
    // The number of Kafka's protocol for a topic.
    const resources = [{ type: 2 as never, name: 'push.device.v1', configEntries }];
    await admin.alterConfigs({ validateOnly: false, resources });
    await admin.disconnect();
    expect((await diagnose()).fails.map(({ found }) => found)).toEqual([
      'unclean.leader.election.enable is on for push.device.v1',
    ]);
  } finally {
    await kafka.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}, 180_000);
