import { funnelQuery } from '@sluice/operations';
import { catalogSource, sources } from './fill.js';

export interface Question {
  readonly name: string;
  readonly query: string;
  /** The same question asked of each event, without grouping by id first; it must have the same answer. */
  readonly plainQuery?: string;
}

const [source] = sources;
const dayMs = 86_400_000;

interface Range {
  readonly from: string;
  readonly to: string;
}

const lastDays = (now: Date, days: number): Range => ({
  from: timeText(now.getTime() - days * dayMs),
  to: timeText(now.getTime()),
});
const timeText = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, -1);
const parameters = ({ from, to }: Range): string => `source = '${source}', from = '${from}', to = '${to}'`;
const during = ({ from, to }: Range): string => `timestamp >= '${from}' AND timestamp < '${to}'`;

/** Queries of docs/tables.md for the largest source and 30 days, some also for 7 and 90. No answer is empty. */
export function questionsAt(now: Date): Question[] {
  const month = lastDays(now, 30);
  return [
    ...ofPeople(month),
    ...[7, 90].flatMap((days) =>
      ofPeople(lastDays(now, days)).map((question) => ({ ...question, name: `${question.name}, ${days} days` })),
    ),
    { ...makeFunnel(['page_viewed', ...steps, 'page_viewed', ...steps], month), name: 'funnel of eight steps' },
    ...otherQuestions(month),
  ];
}

const steps = ['product_viewed', 'product_added', 'order_completed'];

/** Queries that count what all people did. */
const ofPeople = (range: Range): Question[] => [
  makeFunnel(steps, range),
  {
    name: 'retention by day, by person',
    query: `SELECT first_day, days_later, people FROM retention(${parameters(range)}) ORDER BY ALL`,
    plainQuery: `SELECT arrayMin(days) AS first_day, toUInt16(arrayJoin(days) - first_day) AS days_later, count() AS people FROM (
      SELECT person, groupUniqArray(toDate(timestamp)) AS days FROM events_resolved(source = '${source}')
      WHERE ${during(range)} GROUP BY person) GROUP BY first_day, days_later ORDER BY ALL`,
  },
  {
    name: 'sessions by day',
    query: `SELECT toDate(started_at) AS day, count(), avg(seconds), avg(events) FROM sessions(${parameters(range)}) GROUP BY day`,
  },
];

const makeFunnel = (events: readonly string[], range: Range): Question => ({
  name: 'funnel of three steps, by person',
  query: funnelQuery({ source, steps: events, withinMs: dayMs, ...range }),
  plainQuery: `SELECT step, count() AS people FROM (
      SELECT person, windowFunnel(${dayMs})(toUInt64(toUnixTimestamp64Milli(timestamp)), ${events.map((event) => `event = '${event}'`).join(', ')}) AS step
      FROM events_resolved(source = '${source}') WHERE event IN ('${events.join("', '")}') AND ${during(range)}
      GROUP BY person) GROUP BY step ORDER BY step`,
});

const otherQuestions = (month: Range): Question[] => [
  {
    name: 'user_timeline: all of one person who comes now and then',
    query: `SELECT timestamp, kind, name, details FROM user_timeline(source = '${source}', person = {person:String})`,
  },
  {
    name: 'user_timeline: all of the person with the most events',
    query: `SELECT timestamp, kind, name, details FROM user_timeline(source = '${source}', person = {busiest:String})`,
  },
  {
    name: 'event_counts: events and people by event and day',
    query: `SELECT day, event, events, people FROM event_counts WHERE source_id = '${source}' AND day >= today() - 30`,
  },
  {
    name: 'user_traits: all of one person',
    query: `SELECT traits FROM user_traits WHERE source_id = '${source}' AND user_id = {person:String}`,
  },
  {
    name: 'users: people by one trait',
    query: `SELECT value, count() FROM users FINAL WHERE source_id = '${source}' AND trait = 'plan' GROUP BY value`,
  },
  {
    name: 'identity_links: the anonymous ids of several users',
    query: `SELECT count() FROM identity_links WHERE source_id = '${source}' AND users > 1`,
  },
  {
    name: 'events_resolved: buyers and turnover',
    query: `SELECT uniqExact(person), sum(properties.total::Float64) FROM events_resolved(source = '${source}')
      WHERE event = 'order_completed' AND ${during(month)}`,
  },
  {
    name: 'product_performance: views and orders of the most viewed',
    query: `SELECT product_id, any(name), sumIf(events, event = 'product_viewed') AS views, sumIf(events, event = 'order_completed')
      FROM product_performance(${parameters(month)}, catalog = '${catalogSource}') GROUP BY product_id ORDER BY views DESC LIMIT 20`,
  },
  {
    name: 'push_campaign_stats: rates by campaign',
    query: `SELECT campaign_id, sum(clicked) / sum(reached) FROM push_campaign_stats
      WHERE source_id = '${source}' AND day >= today() - 30 GROUP BY campaign_id`,
  },
  {
    name: 'events_with_offers: turnover by seller',
    query: `SELECT seller_id, sum(toFloat64(price) * quantity) AS turnover
      FROM events_with_offers(${parameters(month)}, catalog = '${catalogSource}') WHERE has_offer GROUP BY seller_id ORDER BY turnover DESC LIMIT 20`,
  },
  { name: 'freshness', query: 'SELECT * FROM freshness' },
  {
    name: 'product_offers: one product',
    query: `SELECT * FROM product_offers WHERE source_id = '${catalogSource}' AND product_id = 'p-4711'`,
  },
  {
    name: 'availability: what can be bought',
    query: `SELECT count() FROM availability WHERE source_id = '${catalogSource}' AND is_purchasable`,
  },
];
