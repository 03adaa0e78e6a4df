import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { findMigrations } from '@sluice/operations';
import { otherShop, replayed, shop, story, insert } from './story.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `views_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const tables = Object.keys(story);

beforeAll(async () => {
  await migrate(config, await findMigrations());
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

async function select(query: string): Promise<unknown[]> {
  const clickhouse_settings = { output_format_json_quote_64bit_integers: 0 } as const;
  const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings });
  return result.json();
}

const march = (source = shop): string => `source = '${source}', from = '2026-03-01', to = '2026-04-01'`;
const time = (dayAndTime: string): string => `2026-03-${dayAndTime}`;

/** Every view with all its columns, for one source, or for all sources if it has no such parameter. */
const everyView = [
  'SELECT * FROM identity_links ORDER BY ALL',
  `SELECT * FROM events_resolved(source = '${shop}') ORDER BY message_id`,
  'SELECT * FROM event_counts ORDER BY ALL',
  `SELECT * FROM sessions(${march()}) ORDER BY ALL`,
  `SELECT * FROM retention(${march()}) ORDER BY ALL`,
  `SELECT * FROM user_timeline(source = '${shop}', person = 'u-1')`,
  `SELECT * FROM product_performance(${march()}, catalog = '${shop}') ORDER BY ALL`,
  'SELECT * FROM user_traits ORDER BY source_id, user_id',
  'SELECT * FROM push_campaign_stats ORDER BY ALL',
  // A replay changes the time of the newest stored row, and nothing else.
  'SELECT * EXCEPT newest_stored FROM freshness ORDER BY ALL',
  'SELECT * FROM product_offers ORDER BY ALL',
  'SELECT * FROM variant_history ORDER BY ALL',
  `SELECT * FROM events_with_offers(${march()}, catalog = '${shop}') ORDER BY ALL`,
  'SELECT * FROM availability ORDER BY ALL',
  'SELECT * FROM category_paths ORDER BY ALL',
];
const answers = (): Promise<unknown[][]> => Promise.all(everyView.map(select));

it.each(everyView)('is empty when nothing is stored: %s', async (query) => {
  for (const table of tables) await client.command({ query: `TRUNCATE TABLE ${table}` });
  expect(await select(query)).toEqual([]);
});

describe('of a story', () => {
  beforeEach(async () => {
    for (const table of [...tables, 'users', 'variant_states'])
      await client.command({ query: `TRUNCATE TABLE ${table}` });
    await insert(client, story);
  });

  it('identity_links: the anonymous id belongs to the user who signed in first', async () => {
    expect(await select('SELECT * FROM identity_links ORDER BY source_id')).toEqual([
      { source_id: shop, anonymous_id: 'a-1', user_id: 'u-1', linked_at: '2026-03-02 10:20:00.000', users: 2 },
      { source_id: otherShop, anonymous_id: 'a-1', user_id: 'u-9', linked_at: '2026-03-02 09:00:00.000', users: 1 },
    ]);
  });

  it('events_resolved: events before the sign-in belong to the user too', async () => {
    const people = await select(
      `SELECT person_id, count() AS events, uniqExact(person) AS people
       FROM events_resolved(source = '${shop}') GROUP BY person_id ORDER BY person_id`,
    );
    expect(people).toEqual([
      { person_id: 'a-2', events: 3, people: 1 },
      { person_id: 'u-1', events: 7, people: 1 },
    ]);
    const otherPeople = await select(`SELECT person_id FROM events_resolved(source = '${otherShop}') ORDER BY ALL`);
    expect(otherPeople).toEqual([{ person_id: 'u-1' }, { person_id: 'u-9' }]);
  });

  it('event_counts: events and people by event and day', async () => {
    const counts = await select(
      `SELECT day, event, events, people FROM event_counts WHERE source_id = '${shop}' ORDER BY day, event`,
    );
    const aDay = (day: string) => (event: string, events: number, people: number) => ({ day, event, events, people });
    const [monday, tuesday] = [aDay(time('02')), aDay(time('03'))];
    expect(counts).toEqual([
      monday('order_completed', 1, 1),
      monday('page_viewed', 3, 2),
      monday('product_added', 1, 1),
      monday('product_viewed', 2, 2),
      tuesday('bb_notification_clicked', 2, 1),
      tuesday('page_viewed', 1, 1),
    ]);
  });

  it('sessions: a pause of 30 minutes ends one, signing in does not', async () => {
    const sessions = await select(
      `SELECT person_id, started_at, ended_at, seconds, events FROM sessions(${march()}) ORDER BY person_id, started_at`,
    );
    const aSession = (person_id: string, from: string, to: string, seconds: number, events: number) => ({
      person_id,
      started_at: time(from),
      ended_at: time(to),
      seconds,
      events,
    });
    expect(sessions).toEqual([
      aSession('a-2', '02 12:00:00.000', '02 12:29:59.999', 1799.999, 2),
      aSession('a-2', '02 12:59:59.999', '02 12:59:59.999', 0, 1),
      aSession('u-1', '02 10:00:00.000', '02 10:25:00.000', 1500, 3),
      aSession('u-1', '02 11:00:00.000', '02 11:00:00.000', 0, 1),
      aSession('u-1', '03 09:00:05.000', '03 09:00:05.000', 0, 1),
      aSession('u-1', '03 10:00:00.000', '03 10:00:00.000', 0, 1),
      aSession('u-1', '03 11:00:00.000', '03 11:00:00.000', 0, 1),
    ]);
  });

  it('sessions: consecutive ranges have each session once and completely', async () => {
    const query = (from: string, to: string): string =>
      `SELECT started_at, ended_at, events FROM sessions(source = '${shop}', from = '${time(from)}', to = '${time(to)}')`;
    const first = { started_at: time('02 10:00:00.000'), ended_at: time('02 10:25:00.000'), events: 3 };
    expect(await select(query('02 09:00:00', '02 10:10:00'))).toEqual([first]);
    expect(await select(query('02 10:10:00', '02 11:00:00'))).toEqual([]);
    expect(await select(query('02 11:00:00', '02 11:00:01'))).toHaveLength(1);
    expect(await select(query('02 10:00:00', '02 10:00:01'))).toEqual([first]);
  });

  it('sessions: a long range has the sessions of a short one, also where 32 bits of milliseconds end', async () => {
    const since = (from: string): Promise<unknown[]> =>
      select(`SELECT * FROM sessions(source = '${shop}', from = '${from}', to = '2026-04-01') ORDER BY ALL`);
    // Half an hour before the range and a day after it are read too.
    const first64Bits = Date.parse('2026-04-02T00:30:00Z') - 2 ** 32;
    const short = await since('2026-03-01');
    expect(short).toHaveLength(7);
    for (const from of [first64Bits + 1, first64Bits])
      expect(await since(new Date(from).toISOString().slice(0, -1))).toEqual(short);
    expect(await since('1970-01-01')).toEqual(short);
  });

  it('sessions and product_performance: a Date means its midnight, like a text or a DateTime', async () => {
    const sentAt = new Date(Date.now() - 60_000).toISOString();
    const now = { ...story['events']?.[1], timestamp: sentAt, received_at: sentAt, message_id: randomUUID() };
    await insert(client, { events: [now] });

    for (const from of [
      'today() - 30',
      'toDateTime(today() - 30)',
      'toString(today() - 30)',
      'now() - INTERVAL 30 DAY',
    ]) {
      const range = `source = '${shop}', from = ${from}, to = today() + 1`;
      expect(await select(`SELECT events FROM sessions(${range})`)).toEqual([{ events: 1 }]);
      const performance = `SELECT events FROM product_performance(${range}, catalog = '${shop}')`;
      expect(await select(performance)).toEqual([{ events: 1 }]);
    }
  });

  it('user_timeline: the events and notifications of a person, newest first, by any of their ids', async () => {
    const query = (person: string): string =>
      `SELECT timestamp, kind, name, details FROM user_timeline(source = '${shop}', person = '${person}')`;
    const aMoment = (dayTime: string, kind: string, name: string, details: object = {}) => ({
      timestamp: time(dayTime),
      kind,
      name,
      details,
    });
    const push = { campaign_id: 'spring', variation_id: 'b', notification_id: 'n-1', channel: 'web-push' };
    const timeline = [
      aMoment('03 11:00:00.000', 'event', 'bb_notification_clicked', { id: 'foreign' }),
      aMoment('03 10:00:01.000', 'identify', '', { plan: 'pro' }),
      aMoment('03 10:00:00.000', 'event', 'page_viewed'),
      aMoment('03 09:00:05.000', 'push', 'clicked', { ...push, url: 'https://shop/p-1' }),
      aMoment('03 09:00:00.000', 'push', 'delivered', push),
      aMoment('02 11:00:00.000', 'event', 'order_completed', {
        total: 19.5,
        products: [{ productId: 'p-1', quantity: 2 }, { productId: 7 }, { productId: 'p-1' }],
      }),
      aMoment('02 10:25:00.000', 'event', 'product_added', { product_id: 'p-1', quantity: 2 }),
      aMoment('02 10:20:00.000', 'identify', '', { plan: 'free', age: 30 }),
      aMoment('02 10:10:00.000', 'event', 'product_viewed', { product_id: 'p-1' }),
      aMoment('02 10:00:00.000', 'event', 'page_viewed'),
    ];
    expect(await select(query('u-1'))).toEqual(timeline);
    expect(await select(query('a-1'))).toEqual(timeline);
    expect(await select(query('a-2'))).toHaveLength(3);
    expect(await select(query('nobody'))).toEqual([]);
  });

  it('user_timeline: a user id that is also an anonymous id means the user, as in events_resolved', async () => {
    const [view, sign] = [story['events']?.[0], story['identifies']?.[0]];
    const anonymously = { ...view, message_id: randomUUID(), event: 'page_left', user_id: '', anonymous_id: 'u-1' };
    const signIn = { ...sign, message_id: randomUUID(), user_id: 'u-7', anonymous_id: 'u-1' };
    const query = (person: string) => `SELECT name FROM user_timeline(source = '${shop}', person = '${person}')`;
    const before = await select(query('u-1'));
    await insert(client, { events: [anonymously], identifies: [signIn] });

    expect(await select(query('u-1'))).toEqual(before);
    expect(await select(query('u-7'))).toEqual([{ name: '' }, { name: 'page_left' }]);
    const resolved = `SELECT person_id FROM events_resolved(source = '${shop}') WHERE event = 'page_left'`;
    expect(await select(resolved)).toEqual([{ person_id: 'u-7' }]);
  });

  it('user_timeline: a user id known only from events is that user, although also a linked anonymous id', async () => {
    const [view, sign] = [story['events']?.[0], story['identifies']?.[0]];
    const asUser = { ...view, message_id: randomUUID(), event: 'page_left', user_id: 'u-5', anonymous_id: '' };
    const signIn = { ...sign, message_id: randomUUID(), user_id: 'u-7', anonymous_id: 'u-5' };
    await insert(client, { events: [asUser], identifies: [signIn] });

    const query = (person: string) =>
      `SELECT person_id, name FROM user_timeline(source = '${shop}', person = '${person}')`;
    expect(await select(query('u-5'))).toEqual([{ person_id: 'u-5', name: 'page_left' }]);
    expect(await select(query('u-7'))).toEqual([{ person_id: 'u-7', name: '' }]);
  });

  it('push: two users who report a click both see it; freshness counts the last report, merged or not', async () => {
    const click = story['push_interactions']?.[1];
    const [later, stored] = [time('05 08:00:00.000'), time('05 08:00:02.000')];
    await insert(client, { push_interactions: [{ ...click, user_id: 'u-0', received_at: later, stored_at: stored }] });

    const clicks = (person: string) =>
      select(
        `SELECT user_id FROM user_timeline(source = '${shop}', person = '${person}') WHERE kind = 'push' AND name = 'clicked'`,
      );
    const newest = () =>
      select(
        `SELECT newest_received, newest_stored FROM freshness WHERE source_id = '${shop}' AND table_name = 'push_interactions'`,
      );
    const expectAll = async () => {
      expect(await clicks('u-0')).toEqual([{ user_id: 'u-1' }]);
      expect(await clicks('u-1')).toEqual([{ user_id: 'u-1' }]);
      expect(await newest()).toEqual([{ newest_received: later, newest_stored: stored }]);
    };
    await expectAll();
    await client.command({ query: 'OPTIMIZE TABLE push_interactions FINAL' });
    await expectAll();
  });

  it('users: people by plan, each once, also with a plan from before the sign-in', async () => {
    const identifyRow = { ...story['identifies']?.[0], user_id: '', anonymous_id: 'a-1', traits: { plan: 'trial' } };
    const otherDevice = { ...identifyRow, anonymous_id: 'a-2' };
    await insert(client, {
      identifies: [identifyRow, otherDevice].map((row) => ({ ...row, message_id: randomUUID() })),
    });

    const page = await readFile(new URL('../../../../docs/tables.md', import.meta.url), 'utf8');
    const [, query = ''] = /^```sql\n(-- People by plan\n.*?)^```$/ms.exec(page) ?? [];
    expect(await select(`${query} ORDER BY plan`)).toEqual([
      { plan: '"pro"', people: 1 },
      { plan: '"team"', people: 1 },
      { plan: '"trial"', people: 1 },
    ]);
  });

  it('product_performance: events on products, with the catalog of any source', async () => {
    const query = (catalog: string): string =>
      `SELECT product_id, event, events, people, has_product, name
       FROM product_performance(${march()}, catalog = '${catalog}') ORDER BY product_id, event`;
    const lamp = { product_id: 'p-1', events: 1, people: 1, has_product: true, name: 'Lamp' };
    const unknown = { product_id: 'p-9', event: 'product_viewed', events: 1, people: 1, has_product: false, name: '' };
    const events = ['order_completed', 'product_added', 'product_viewed'];
    const alsoOrdered = { ...unknown, product_id: '7', event: 'order_completed' };
    expect(await select(query(shop))).toEqual([alsoOrdered, ...events.map((event) => ({ ...lamp, event })), unknown]);
    expect(await select(query(otherShop))).toContainEqual({ ...lamp, event: 'order_completed', name: 'Other lamp' });
  });

  it('freshness: the newest rows of each table and source, and no delays when the last hour is empty', async () => {
    const query = `SELECT table_name, newest_received, newest_stored, rows_last_hour, delay_p50 FROM freshness
      WHERE source_id = '${shop}' ORDER BY table_name`;
    const aTable = (table_name: string, received: string, stored: string) => ({
      table_name,
      newest_received: time(received),
      newest_stored: time(stored),
      rows_last_hour: 0,
      delay_p50: null,
    });
    expect(await select(query)).toEqual([
      aTable('categories', '01 00:00:00.000', '01 00:00:02.000'),
      aTable('events', '03 11:00:00.000', '03 11:00:02.000'),
      aTable('identifies', '04 10:00:00.000', '04 10:00:02.000'),
      aTable('product_variants', '02 00:00:00.000', '02 00:00:02.000'),
      aTable('products', '01 00:00:00.000', '01 00:00:02.000'),
      aTable('push_interactions', '03 09:00:05.000', '03 09:00:07.000'),
    ]);
  });

  it('freshness: delays of the last hour in seconds', async () => {
    const before = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();
    const recent = [1, 2, 3, 4, 90].map((delay) => ({
      ...story['events']?.[0],
      message_id: randomUUID(),
      stored_at: before(600),
      received_at: before(600 + delay),
    }));
    await insert(client, { events: recent });

    const query = `SELECT rows_last_hour, round(delay_p50) AS p50, round(delay_p99) AS p99 FROM freshness
      WHERE source_id = '${shop}' AND table_name = 'events'`;
    expect(await select(query)).toEqual([{ rows_last_hour: 5, p50: 3, p99: 90 }]);
  });

  it('every view gives the same result after a replay, and after all duplicates are merged', async () => {
    const once = await answers();
    expect(everyView.filter((_, index) => once[index]?.length === 0)).toEqual([]);

    await insert(client, replayed);
    expect(await select('SELECT count() AS rows FROM events')).toEqual([{ rows: 2 * (story['events']?.length ?? 0) }]);
    expect(await answers()).toEqual(once);

    for (const table of [...tables, 'users', 'variant_states'])
      await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    expect(await select('SELECT count() AS rows FROM events')).toEqual([{ rows: story['events']?.length }]);
    expect(await answers()).toEqual(once);
  });
});
