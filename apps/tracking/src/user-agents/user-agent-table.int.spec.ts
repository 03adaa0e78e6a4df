import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { noFacts, type ParseUserAgent, parserVersion, parseUserAgent } from './parse-user-agent.js';
import { UserAgentTable } from './user-agent-table.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `user_agents_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const source = 'AbCdEf123456';
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const hostile = '<script>alert("1")</script>';
const range = `source = '${source}', from = '2026-03-01', to = '2026-03-08'`;

/** Two days of three people and two bots; a person is known by two ids, and a bot has an event without a user agent. */
const events: [event: string, day: number, user: string, anonymous: string, userAgent: string][] = [
  ['viewed', 1, '', 'a-1', chrome],
  ['added', 1, 'u-1', 'a-1', chrome],
  ['viewed', 2, 'u-1', 'a-1', chrome],
  ['viewed', 1, '', 'a-2', hostile],
  ['viewed', 1, '', 'a-3', ''],
  ['viewed', 1, '', 'bot-1', googlebot],
  ['viewed', 2, '', 'bot-1', ''],
  ['viewed', 2, '', 'bot-2', googlebot],
  ['added', 2, '', 'bot-2', googlebot],
];

beforeAll(async () => {
  await migrate(config, await readMigrations('tracking', new URL('../../migrations/', import.meta.url)));
  const timeOn = (day: number): string => `2026-03-0${day} 10:00:00`;
  const values = events.map(([event, day, user_id, anonymous_id, user_agent]) => {
    const times = { timestamp: timeOn(day), received_at: timeOn(day), kafka_timestamp: timeOn(day) };
    return { source_id: source, event, user_id, anonymous_id, user_agent, message_id: randomUUID(), ...times };
  });
  await client.insert({ table: 'events', values, format: 'JSONEachRow' });
  const link = {
    source_id: source,
    user_id: 'u-1',
    anonymous_id: 'a-1',
    message_id: randomUUID(),
    user_agent: 'only/1',
  };
  const identify = { ...link, timestamp: timeOn(1), received_at: timeOn(1), kafka_timestamp: timeOn(1) };
  await client.insert({ table: 'identifies', values: [identify], format: 'JSONEachRow' });
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

const fill = (parse: ParseUserAgent, version: number, since = 0) =>
  new UserAgentTable(client, { version, parse }).parseNewTexts(since);
async function select<Row>(query: string): Promise<Row[]> {
  const clickhouse_settings = { output_format_json_quote_64bit_integers: 0 } as const;
  return (await client.query({ query, format: 'JSONEachRow', clickhouse_settings })).json<Row>();
}
const agents = () => select(`SELECT * EXCEPT stored_at FROM user_agents FINAL ORDER BY user_agent`);

it('a parser that throws leaves rows without an answer, and does not get the same texts again', async () => {
  const crash: ParseUserAgent = () => {
    throw new RangeError('injected');
  };
  expect(await fill(crash, 1)).toEqual({ parsed: 0, failed: 4 });
  const row = { ...noFacts, is_parsed: false, parser_version: 1 };
  expect(await agents()).toEqual([hostile, chrome, googlebot, 'only/1'].map((user_agent) => ({ user_agent, ...row })));
  expect(await fill(crash, 1)).toEqual({ parsed: 0, failed: 0 });
  expect(await select(`SELECT count() AS events FROM events`)).toEqual([{ events: events.length }]);
});

it('a newer parser corrects the answers, also for rows that were stored before', async () => {
  expect(await fill(parseUserAgent, 1 + parserVersion)).toEqual({ parsed: 4, failed: 0 });
  expect(await agents()).toMatchObject([
    { user_agent: hostile, is_parsed: true },
    { user_agent: chrome, browser: 'Chrome', browser_major: 130, os: 'Linux', device: 'desktop', is_bot: false },
    { user_agent: googlebot, is_bot: true, bot_name: 'Googlebot', device: 'bot' },
    { user_agent: 'only/1' },
  ]);
  expect(await fill(() => ({ ...noFacts, browser: 'older' }), 1)).toEqual({ parsed: 0, failed: 0 });
});

it('a look reads only the rows that were stored since a given time', async () => {
  expect(await fill(parseUserAgent, 9, Date.now() + 60_000)).toEqual({ parsed: 0, failed: 0 });
});

it('event_clients joins the answers to each event; none is left out', async () => {
  const countRows = await select(
    `SELECT browser, is_bot, count() AS events FROM event_clients(source = '${source}') GROUP BY ALL ORDER BY ALL`,
  );
  expect(countRows).toEqual([
    { browser: '', is_bot: false, events: 2 + 1 * Number(!parseUserAgent(hostile).is_bot) },
    { browser: '', is_bot: true, events: 3 + Number(parseUserAgent(hostile).is_bot) },
    { browser: 'Chrome', is_bot: false, events: 3 },
  ]);
});

it('event_counts says how many of the events and ids are of bots', async () => {
  await client.command({
    query: `ALTER TABLE user_agents DELETE WHERE user_agent LIKE '<%' SETTINGS mutations_sync = 1`,
  });
  const counts = await select(
    `SELECT event, day, events, people, bot_events, bot_people FROM event_counts ORDER BY day, event`,
  );
  expect(counts).toEqual([
    { event: 'added', day: '2026-03-01', events: 1, people: 1, bot_events: 0, bot_people: 0 },
    { event: 'viewed', day: '2026-03-01', events: 4, people: 4, bot_events: 1, bot_people: 1 },
    { event: 'added', day: '2026-03-02', events: 1, people: 1, bot_events: 1, bot_people: 1 },
    { event: 'viewed', day: '2026-03-02', events: 3, people: 3, bot_events: 1, bot_people: 1 },
  ]);
});

it.each([range, range.replace('2026-03-08', '2026-06-08')])('retention(%s) says how many are bots', async (days) => {
  const rows = await select(`SELECT first_day, days_later, people, bots FROM retention(${days}) ORDER BY ALL`);
  expect(rows).toEqual([
    { first_day: '2026-03-01', days_later: 0, people: 4, bots: 1 },
    { first_day: '2026-03-01', days_later: 1, people: 2, bots: 1 },
    { first_day: '2026-03-02', days_later: 0, people: 1, bots: 1 },
  ]);
});

it('a session says whether it is of a bot', async () => {
  const countQuery = `SELECT is_bot, count() AS sessions, uniqExact(person) AS people FROM sessions(${range}) GROUP BY is_bot`;
  expect(await select(`${countQuery} ORDER BY is_bot`)).toEqual([
    { is_bot: false, sessions: 4, people: 3 },
    { is_bot: true, sessions: 3, people: 2 },
  ]);
});
