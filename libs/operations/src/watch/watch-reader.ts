import { createClickHouse, type ClickHouseConfig } from '@sluice/clickhouse';
import {
  type WatchedChange,
  type WatchedHour,
  type WatchMute,
  type WatchRunView,
  type WatchState,
} from '@sluice/console-api';
import { withClickHouse } from '../servers/with-clickhouse.js';
import { type SelectRows } from '../plans/select-rows.js';
import { hourMs } from './changes.js';
import { lastMutes } from './watch-queries.js';

/** Days for which changes that have ended are shown. */
const shownDays = 7;
const maxChanges = 500;
/** ISO 8601 of a time in seconds. */
const isoTime = (column: string): string => `formatDateTime(${column}, '%Y-%m-%dT%H:%i:%SZ', 'UTC')`;

const changesQuery = `SELECT toString(sipHash64(changes.source_id, changes.event, family, property, changes.found)) AS id, changes.source_id AS source, changes.event AS event, property, kind, ${isoTime('began')} AS began, ${isoTime('found')} AS found,
    if(ended = toDateTime(0, 'UTC'), NULL, ${isoTime('ended')}) AS ended, observed, expected_low AS expectedLow, expected_high AS expectedHigh,
    type_before AS typeBefore, type, since, ${isoTime('mutes.until')} AS until, mutes.reason AS reason, mutes.actor AS actor, mutes.until > now() AS isMuted
  FROM (SELECT * FROM event_changes FINAL WHERE {source:String} = '' OR source_id = {source:String}) AS changes
  LEFT JOIN (${lastMutes}) AS mutes ON mutes.source_id = changes.source_id AND mutes.event = changes.event
  WHERE changes.ended = toDateTime(0, 'UTC') OR changes.ended > now() - INTERVAL ${shownDays} DAY
  ORDER BY changes.ended = toDateTime(0, 'UTC') DESC, changes.found DESC, source, event, property LIMIT ${maxChanges}
  SETTINGS join_use_nulls = 0`;

const runQuery = `SELECT ${isoTime('watch_runs.hour + INTERVAL 1 HOUR')} AS judgedUntil, took_ms AS tookMs, judged, unknown
  FROM watch_runs FINAL WHERE is_done ORDER BY watch_runs.hour DESC, stored_at DESC LIMIT 1`;

const mutesQuery = `SELECT source_id AS source, event, ${isoTime('mutes.until')} AS until, reason, actor FROM (${lastMutes}) AS mutes
  WHERE mutes.until > now() ORDER BY mutes.until LIMIT ${maxChanges}`;

interface ChangeRow extends Omit<WatchedChange, 'mute'> {
  readonly until: string;
  readonly reason: string;
  readonly actor: string;
  readonly isMuted: number;
}

/** Open changes and those that ended lately, of one source or of all, with the last run. */
export async function readWatch(select: SelectRows, source = ''): Promise<WatchState> {
  const [runs, rows] = await Promise.all([
    select<WatchRunView>(runQuery, {}),
    select<ChangeRow>(changesQuery, { source }),
  ]);
  const changes = rows.map(({ until, reason, actor, isMuted, ...change }): WatchedChange => {
    const mute: WatchMute = { source: change.source, event: change.event, until, reason, actor };
    return { ...change, mute: isMuted === 1 ? mute : null };
  });
  return { run: runs[0] ?? null, changes };
}

export const listMutes = (select: SelectRows): Promise<WatchMute[]> => select<WatchMute>(mutesQuery, {});

/** Weeks whose same hours are shown. */
const shownWeeks = 4;
const hoursBefore = 48;
const maxShownHours = 168;

const eventQuery = `SELECT toUnixTimestamp(event_hours.hour) * 1000 AS time, toFloat64(messages) AS value FROM event_hours FINAL
  WHERE source_id = {source:String} AND event = {event:String} AND event_hours.hour >= toDateTime({from:Int64} / 1000, 'UTC')`;

const refusedEventQuery = `SELECT toUnixTimestamp(event_hours.hour) * 1000 AS time, if(refused + messages = 0, NULL, 100 * refused / (refused + messages)) AS value
  FROM event_hours FINAL
  WHERE source_id = {source:String} AND event = {event:String} AND event_hours.hour >= toDateTime({from:Int64} / 1000, 'UTC')`;

const share = (part: string, whole: string): string => `if((${whole}) = 0, NULL, 100 * ${part} / (${whole}))`;
const sourceQuery = (part: string, whole: string): string => `SELECT toUnixTimestamp(source_hours.hour) * 1000 AS time,
    ${share(part, whole)} AS value
  FROM source_hours FINAL WHERE source_id = {source:String} AND source_hours.hour >= toDateTime({from:Int64} / 1000, 'UTC')`;

const propertyQuery = `SELECT toUnixTimestamp(property_hours.hour) * 1000 AS time,
    ${share("sumIf(messages, property = {property:String} AND ({type:String} = '' OR type = {type:String}))", "sumIf(messages, property = '')")} AS value
  FROM property_hours FINAL
  WHERE source_id = {source:String} AND event = {event:String} AND property_hours.hour >= toDateTime({from:Int64} / 1000, 'UTC')
  GROUP BY property_hours.hour`;

const queries: Record<WatchedChange['kind'], string> = {
  stopped: eventQuery,
  fell: eventQuery,
  type: propertyQuery,
  vanished: propertyQuery,
  refused: sourceQuery('refused', 'refused + messages'),
  clock: sourceQuery('wrong_clocks', 'devices'),
};

/**
 * The hours around a change. Those of an event have the least and the most of the same hour in the weeks before; a share
 * has what was expected of it.
 */
export async function readChangeHours(select: SelectRows, change: WatchedChange): Promise<WatchedHour[]> {
  const { source, event, property, type, kind, began, ended } = change;
  const start = Date.parse(began) - hoursBefore * hourMs;
  const end = ended === null ? Math.floor(Date.now() / hourMs) * hourMs : Date.parse(ended);
  const count = Math.min(maxShownHours, Math.round((end - start) / hourMs));
  const weekMs = 168 * hourMs;
  const isCount = kind === 'stopped' || kind === 'fell';
  const query = kind === 'refused' && event !== '' ? refusedEventQuery : queries[kind];
  const from = isCount ? start - shownWeeks * weekMs : start;
  const rows = await select<{ time: number; value: number | null }>(query, {
    source,
    event,
    property,
    type,
    from,
  });
  const values = new Map(rows.map(({ time, value }) => [time, value]));
  return Array.from({ length: count }, (_, index) => {
    const time = start + index * hourMs;
    const hour = new Date(time).toISOString();
    if (!isCount)
      return { hour, value: values.get(time) ?? null, low: 100 * change.expectedLow, high: 100 * change.expectedHigh };
    const before = Array.from({ length: shownWeeks }, (__, week) => values.get(time - (week + 1) * weekMs) ?? 0);
    return { hour, value: values.get(time) ?? 0, low: Math.min(...before), high: Math.max(...before) };
  });
}

/** Mutes an event until a time; a past one unmutes it. @throws ServerUnreachableError */
export async function muteEvent(
  config: ClickHouseConfig,
  { source, event, until, reason, actor }: WatchMute,
): Promise<void> {
  const urls = config.CLICKHOUSE_SHARDS ? [...config.CLICKHOUSE_SHARDS.values()] : [config.CLICKHOUSE_URL];
  for (const CLICKHOUSE_URL of urls) {
    const client = createClickHouse({ ...config, CLICKHOUSE_URL });
    const row = { source_id: source, event, until: Math.floor(Date.parse(until) / 1_000), reason, actor };
    try {
      await withClickHouse(config, client.insert({ table: 'event_mutes', values: [row], format: 'JSONEachRow' }));
    } finally {
      await client.close();
    }
  }
}
