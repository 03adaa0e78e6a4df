import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { isPlaceholderId } from '@sluice/contracts';
import { Random } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findClosure } from '../privacy/closure.js';
import { forgetLinks, previewForgetting } from '../privacy/forget-links.js';
import { TableServers } from '../privacy/servers.js';
import { findMigrations } from '../status/migration-files.js';
import { funnelQuery } from './funnel-query.js';
import {
  anonymousIds,
  type Forgotten,
  forgottenKey,
  People,
  randomMessages,
  type Said,
  source,
  store,
  userIds,
} from './linked-people.spec-support.js';

// All views that link people, against plain JavaScript over what was said: with placeholders, with ids that are both a
// user's and an anonymous one, and with forgotten links.

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `people_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const servers = new TableServers(config);
const range = "from = '2026-01-01', to = '2026-12-31'";

beforeAll(async () => {
  await migrate(config, await findMigrations());
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await Promise.all([client.close(), servers.close()]);
});

async function select<Row extends object>(query: string, query_params: Record<string, string> = {}): Promise<Row[]> {
  const clickhouse_settings = { output_format_json_quote_64bit_integers: 0 } as const;
  return (await client.query({ query, query_params, format: 'JSONEachRow', clickhouse_settings })).json<Row>();
}

/** Compares every view that links people. */
async function expectSame(random: Random, messages: readonly Said[], forgotten: Forgotten): Promise<void> {
  const people = new People(messages, forgotten);
  const links = await select(
    'SELECT anonymous_id, user_id, toUnixTimestamp64Milli(linked_at) AS linked_at, users FROM identity_links',
  );
  expect(sorted(links)).toEqual(
    sorted(
      [...people.links].map(([anonymous_id, { user, saidAt, users }]) => ({
        ...{ anonymous_id, user_id: user, linked_at: saidAt, users: users.size },
      })),
    ),
  );
  await expectSamePeople(people);
  for (const person of random.shuffled([...new Set([...userIds, ...anonymousIds, 'nobody'])]).slice(0, 15)) {
    const { ids } = await findClosure(servers, [{ source, kind: 'user', id: person }], false);
    expect([person, ids.slice(1).map(({ id }) => id)]).toEqual([person, people.devicesErasedWith(person)]);
    const rows = await select<{ id: string }>(
      `SELECT if(kind = 'push', details.notification_id::String, details.id::String) AS id
       FROM user_timeline(source = '${source}', person = {person:String})`,
      { person },
    );
    expect([person, rows.map(({ id }) => id).sort()]).toEqual([person, people.timelineOf(person)]);
  }
}

/** Compares whose each event is, and all answers that are made of it. */
async function expectSamePeople(people: People): Promise<void> {
  const events = people.messages.filter(({ table }) => table === 'events');
  const resolved = await select<{ id: string; person: string }>(
    `SELECT toString(message_id) AS id, concat(if(person = sipHash64('user', person_id), 'user:', 'anonymous:'), person_id) AS person
     FROM events_resolved(source = '${source}')`,
  );
  const persons = events.map((event) => ({ id: event.id, person: people.personOf(event) }));
  expect(sorted(resolved)).toEqual(sorted(persons));
  const counts = new Map<string, number>();
  for (const { person } of persons) counts.set(person, (counts.get(person) ?? 0) + 1);
  const sessions = await select<{ person: string; events: number }>(
    `SELECT concat(if(person = sipHash64('user', person_id), 'user:', 'anonymous:'), person_id) AS person, sum(events) AS events
     FROM sessions(source = '${source}', ${range}) GROUP BY person, person_id`,
  );
  expect(sorted(sessions)).toEqual(sorted([...counts].map(([person, count]) => ({ person, events: count }))));
  const retained = await select(
    `SELECT sum(people) AS people FROM retention(source = '${source}', ${range}) WHERE days_later = 0`,
  );
  expect(retained).toEqual([{ people: counts.size }]);
  const funnel = { source, steps: ['step', 'step'], from: '2026-01-01', to: '2026-12-31', withinMs: 1 };
  const steps = await select<{ people: number }>(funnelQuery(funnel));
  expect(steps.reduce((sum, step) => sum + step.people, 0)).toBe(counts.size);
}

const sorted = (rows: readonly object[]): string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();

describe.each([1, 2])('seed %i', (seed) => {
  const random = new Random(seed);
  const messages = randomMessages(random, 400);
  const forgotten = new Map<string, number>();

  beforeAll(async () => {
    for (const table of ['events', 'identifies', 'users', 'push_interactions', 'forgotten_links'])
      await client.command({ query: `TRUNCATE TABLE ${table}` });
    await store(client, messages);
  });

  it('links people as docs/tables.md says, and nobody by a placeholder', async () => {
    expect(messages.filter(({ userId }) => userId !== '' && isPlaceholderId(userId)).length).toBeGreaterThan(20);
    await expectSame(random, messages, forgotten);
  });

  it('forgets links of some ids, whatever comes again, until a later message links them', async () => {
    const before = new People(messages, forgotten);
    const namedPeople = Array.from({ length: 4 }, () =>
      random.chance(0.5)
        ? { source, kind: 'user' as const, id: random.pick(userIds) }
        : { source, kind: 'anonymous' as const, id: random.pick(anonymousIds) },
    );
    const until = messages.map(({ receivedAt }) => receivedAt).sort()[300] ?? 0;
    // Another source with the same ids is not concerned.
    await forgetLinks(servers, [{ source: 'GhIjKl789012', kind: 'user', id: 'u-1' }], Date.now());
    await expectSame(random, messages, forgotten);

    for (const id of namedPeople) forgotten.set(forgottenKey(id), until);
    await forgetLinks(servers, namedPeople, until);
    await forgetLinks(servers, namedPeople, until - 1);
    await expectSame(random, messages, forgotten);
    expect(new People(messages, forgotten).links).not.toEqual(before.links);

    await store(
      client,
      messages.filter(({ table }) => table !== 'push_interactions'),
    );
    await expectSame(random, messages, forgotten);

    const later = randomMessages(random, 100, until);
    await store(client, later);
    messages.push(...later);
    await expectSame(random, messages, forgotten);
  });

  it('says before how many links would end and move', async () => {
    const present = new People(messages, forgotten);
    const id = { source, kind: 'user' as const, id: 'u-1' };
    const forgottenPeople = new People(messages, new Map([...forgotten, [forgottenKey(id), Infinity]]));
    const ended = [...present.links].filter(([device, { user }]) => forgottenPeople.links.get(device)?.user !== user);
    const moved = ended.filter(([device]) => forgottenPeople.links.has(device));
    expect(await previewForgetting(servers, [id])).toEqual({
      ...{ sources: [source], links: ended.length, moved: moved.length },
    });
  });
});
