import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { Random, spellMember } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { hashPeople } from './people.js';
import { buildCondition, personTables } from './person-tables.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `bodies_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const source = 'AbCdEf123456';

beforeAll(async () => {
  await migrate(config, await findMigrations());
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

async function idsOfRows(table: string, kind: 'user' | 'anonymous', id: string): Promise<string[]> {
  const place = personTables.find((personTable) => personTable.table === table);
  const condition = place && buildCondition(place, hashPeople([{ source, kind, id }]), { adRequestPaths: [] });
  const query = `SELECT toString(request_id) AS request FROM ${table} WHERE ${condition ?? 'false'} ORDER BY request`;
  const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ request: string }>();
  return rows.map((row) => row.request);
}

const ids = ['u-1', '42', '0', '1234567890123', 'a"b\\c/d', 'Zoë', '\u{1f600}', 'x\ny'];
const names = ['userId', 'user_id', 'anonymousId', 'anonymous_id', 'previousId', 'groupId'];

it('finds whoever a kept body or a sample names, in any spelling, whole or cut off', async () => {
  const random = new Random(11);
  const rows = Array.from({ length: 2_000 }, () => {
    const [id, name] = [random.pick(ids), random.pick(names)];
    const body = `{"list":[{"event":"e"},{${spellMember(random, 'event', 'nobody')},${spellMember(random, name, id)}`;
    return { id, body: random.chance(0.5) ? body : `${body}}]}`, request: randomUUID() };
  });
  // Rows older than 30 days would be gone.
  const received = new Date().toISOString().replace('T', ' ').slice(0, -1);
  const common = rows.map(({ body, request }) => ({
    ...{ source_id: source, body, request_id: request, message_id: request, received_at: received },
  }));
  await client.insert({ table: 'refused_requests', values: common, format: 'JSONEachRow' });
  const messages = common.map((row) => ({ ...row, kind: 'segment', timestamp: received }));
  await client.insert({ table: 'refused_messages', values: messages, format: 'JSONEachRow' });
  for (const table of ['refused_requests', 'refused_messages'])
    for (const kind of ['user', 'anonymous'] as const)
      for (const id of [...ids, 'nobody']) {
        // An id counts for both kinds, whichever member has it.
        const requestIds = rows.filter((row) => row.id === id).map(({ request }) => request);
        expect([table, kind, id, await idsOfRows(table, kind, id)]).toEqual([table, kind, id, requestIds.sort()]);
      }
});
