import { catalogSource, sources } from './fill.js';

export interface Question {
  readonly name: string;
  readonly query: string;
}

const [source] = sources;
const recent = `timestamp >= now() - INTERVAL 30 DAY AND timestamp < now()`;
const range = `source = '${source}', from = now() - INTERVAL 30 DAY, to = now()`;

/** Queries of docs/tables.md for the largest source and the last 30 days. None has an empty answer. */
export const questions: readonly Question[] = [
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
    name: 'funnel of three steps, by person',
    query: `SELECT step, count() FROM (
      SELECT person, windowFunnel(86400000)(toUInt64(toUnixTimestamp64Milli(timestamp)), event = 'product_viewed', event = 'product_added', event = 'order_completed') AS step
      FROM events_resolved(source = '${source}') WHERE event IN ('product_viewed', 'product_added', 'order_completed') AND ${recent}
      GROUP BY person) GROUP BY step`,
  },
  {
    name: 'retention by day, by person',
    query: `SELECT arrayMin(days) AS first_day, arrayJoin(days) - first_day AS days_later, count() FROM (
      SELECT person, groupUniqArray(toDate(timestamp)) AS days FROM events_resolved(source = '${source}')
      WHERE ${recent} GROUP BY person) GROUP BY first_day, days_later`,
  },
  {
    name: 'sessions by day',
    query: `SELECT toDate(started_at) AS day, count(), avg(seconds), avg(events) FROM sessions(${range}) GROUP BY day`,
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
      WHERE event = 'order_completed' AND ${recent}`,
  },
  {
    name: 'product_performance: views and orders of the most viewed',
    query: `SELECT product_id, any(name), sumIf(events, event = 'product_viewed') AS views, sumIf(events, event = 'order_completed')
      FROM product_performance(${range}, catalog = '${catalogSource}') GROUP BY product_id ORDER BY views DESC LIMIT 20`,
  },
  {
    name: 'push_campaign_stats: rates by campaign',
    query: `SELECT campaign_id, sum(clicked) / sum(reached) FROM push_campaign_stats
      WHERE source_id = '${source}' AND day >= today() - 30 GROUP BY campaign_id`,
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
