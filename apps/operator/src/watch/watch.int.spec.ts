import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { CompactedTopicFollower, createKafka } from '@sluice/kafka';
import { findMigrations, type WatchMute, type WatchState } from '@sluice/operations';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { json, operator } from '../operator.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `watch_commands_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const source = `Watch${randomUUID().slice(0, 7)}`;

beforeAll(async () => {
  await migrate(config, await findMigrations());
  const columns =
    'source_id, event, kind, family, property, began, found, ended, observed, expected_low, expected_high, type_before, type, since';
  await client.command({
    query: `INSERT INTO event_changes (${columns}) VALUES
      ('${source}', 'order_completed', 'stopped', 'messages', '', now() - 7200, now() - 3600, 0, 0, 310, 420, '', '', 'app 4.2.1'),
      ('${source}', 'item_added', 'type', 'type', 'total', now() - 7200, now() - 3600, 0, 0.25, 0, 0, 'number', 'text', ''),
      ('${source}', 'old', 'fell', 'messages', '', now() - 5184000, now() - 5184000, now() - 4320000, 3, 10, 20, '', '', '')`,
  });
});
beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
  vi.stubEnv('CLICKHOUSE_URL', config.CLICKHOUSE_URL);
  vi.stubEnv('CLICKHOUSE_DATABASE', config.CLICKHOUSE_DATABASE);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

const list = () => json<WatchState & { mutes: WatchMute[] }>('watch', 'list', '--source', source);

async function readOperations(): Promise<string[]> {
  const operations: string[] = [];
  const take = ({ value }: { value: Buffer | null }): void => {
    const { object, operation, outcome, details = '' } = JSON.parse(String(value)) as Record<string, string>;
    if (object !== source || outcome !== 'done') return;
    operations.push(`${operation} ${(JSON.parse(details) as { reason: string }).reason}`);
  };
  const kafka = createKafka({ KAFKA_BROKERS: inject('kafkaBrokers') }, 'test');
  const follower = new CompactedTopicFollower(kafka, 'audit.v1', () => ({ take, caughtUp: () => undefined }));
  await follower.start();
  await follower.stop();
  return operations;
}

it('shows what changed in a sentence', async () => {
  const { stdout } = await operator('watch', 'list');
  expect(stdout).toContain('stopped with app 4.2.1; 310 to 420 an hour were expected');
  expect(stdout).toContain('total is text in 25 % of the messages; it was number');
  expect(stdout).not.toContain('old');
});

it('mutes an event for a time with a reason, and unmutes it', async () => {
  const muted = await operator(
    'watch',
    'mute',
    source,
    '--event',
    'order_completed',
    '--for',
    '2d',
    '--reason',
    'the old shop ends',
  );
  expect(muted).toMatchObject({ exitCode: 0, stderr: '' });
  const { changes, mutes } = await list();
  expect(mutes).toMatchObject([{ source, event: 'order_completed', reason: 'the old shop ends' }]);
  expect(changes.map(({ event, mute }) => [event, mute?.reason])).toEqual([
    ['item_added', undefined],
    ['order_completed', 'the old shop ends'],
  ]);

  expect(await operator('watch', 'unmute', source, '--event', 'order_completed')).toMatchObject({ exitCode: 0 });
  expect((await list()).mutes).toEqual([]);
  expect((await readOperations()).slice(-2)).toEqual(['watch.mute the old shop ends', 'watch.unmute ']);
});

it.each([
  [['mute', 'no-source', '--for', '2d', '--reason', 'x'], /<sourceIdentifier> must be/],
  [['mute', source, '--for', '2', '--reason', 'x'], /--for must be a time/],
  [['mute', source, '--for', '400d', '--reason', 'x'], /--for must be 366d at most/],
  [['mute', source, '--for', '2d', '--reason', ' '], /--reason must have/],
  [['mute', source, '--for', '2d'], /--reason/],
])('refuses %s', async (args, message) => {
  const answer = await operator('watch', ...args);
  expect(answer.exitCode).toBe(1);
  expect(answer.stderr).toMatch(message);
});
