import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { findMigrations, makeSelectRows, readWatch } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { loseEvent } from './lost-event.js';
import { lostEvents } from './lost-events.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `lost_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const stack = {
  pid: process.pid,
  gateway: { url: 'http://127.0.0.1:1' },
  clickhouse: { url: config.CLICKHOUSE_URL, database: config.CLICKHOUSE_DATABASE },
  source: { sourceIdentifier: 'LostSource12', apiKey: '' },
  pushTokenKeys: '',
};
const client = createClickHouse(config);

beforeAll(async () => migrate(config, await findMigrations()));
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

it('shows that the event stopped with the version, and nothing else', async () => {
  const changes = await loseEvent(stack, { event: 'order_completed', version: '2.3.0' }, Date.now());
  expect(changes.split('\n')).toEqual([
    expect.stringMatching(/^order_completed stopped with app 2\.3\.0; \d+ to \d+ an hour were expected$/),
  ]);
  expect((await readWatch(makeSelectRows(config))).run).toMatchObject({ judged: lostEvents.length, unknown: 0 });
}, 300_000);

it('finds ten changes of ten, in turn', async () => {
  const sources = Array.from({ length: 10 }, (_, n) => `LostSource${String(n).padStart(2, '0')}`);
  for (const [n, sourceIdentifier] of sources.entries()) {
    const [event, version] = [lostEvents[n % lostEvents.length] ?? 'search', `3.${n}.0`];
    const changes = await loseEvent(
      { ...stack, source: { sourceIdentifier, apiKey: '' } },
      { event, version },
      Date.now(),
    );
    expect(changes).toMatch(new RegExp(`^${event} stopped with app ${version}; [^\\n]*$`));
  }
}, 600_000);
