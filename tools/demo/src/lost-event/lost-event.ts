import { describeChange, EventWatch, makeSelectRows, readWatch } from '@sluice/operations';
import { type RunningStack } from '../local-stack.js';
import { type LostEvent } from '../options.js';
import { lostEvents } from './lost-events.js';
import { queryClickHouse } from '../result/clickhouse.js';

const days = 29;
const hourMs = 3_600_000;
/** Hours since the release. */
const releaseHours = 2;
/** Most messages of an event in an hour. */
const maxMessages = 90;

/**
 * Fills four weeks with events of an app, in whose newest version one event is missing, and judges the last hour. The
 * rows go straight into ClickHouse, because a gateway gives each event the time of its arrival.
 * @returns what was found, for people
 */
export async function loseEvent(stack: RunningStack, { event, version }: LostEvent, now: number): Promise<string> {
  const { sourceIdentifier } = stack.source;
  const end = Math.floor(now / hourMs) * hourMs;
  await queryClickHouse(stack, insertRows({ source: sourceIdentifier, event, version, end }));
  const { origin, username, password } = new URL(stack.clickhouse.url);
  const config = {
    CLICKHOUSE_URL: origin,
    CLICKHOUSE_DATABASE: stack.clickhouse.database,
    CLICKHOUSE_USER: decodeURIComponent(username) || 'default',
    CLICKHOUSE_PASSWORD: decodeURIComponent(password),
  };
  const watch = new EventWatch(config, 'demo');
  try {
    await watch.judgeAgain(end);
  } finally {
    await watch.stop();
  }
  const { changes } = await readWatch(makeSelectRows(config), sourceIdentifier);
  const open = changes.filter(({ ended }) => ended === null);
  return open.map((change) => `${change.event} ${describeChange(change)}`.trim()).join('\n');
}

interface LostRows {
  readonly source: string;
  readonly event: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly end: number;
}

const quote = (text: string): string => `'${text}'`;

/** More by day than by night. The names were checked: they have no quotes. */
const insertRows = ({ source, event, version, end }: LostRows): string => `
  INSERT INTO events (source_id, event, timestamp, user_id, anonymous_id, message_id, properties, context, request_id, received_at)
  SELECT ${quote(source)}, name, time, '', concat('anon-lost-', toString(number % 400)), generateUUIDv4(number),
    concat('{"screen":"', name, '"}'),
    concat('{"app":{"version":"', if(time >= release, ${quote(version)}, 'before ${version}'), '"}}'),
    generateUUIDv4(number + 1), time
  FROM
  (
    SELECT number, fromUnixTimestamp64Milli(${end - releaseHours * hourMs}, 'UTC') AS release,
      [${lostEvents.map(quote).join(', ')}][number % ${lostEvents.length} + 1] AS name,
      intDiv(number, ${lostEvents.length}) % ${maxMessages} AS message,
      fromUnixTimestamp64Milli(${end} - (intDiv(number, ${lostEvents.length * maxMessages}) + 1) * ${hourMs} + message * ${Math.floor(hourMs / maxMessages)}, 'UTC') AS time
    FROM numbers(${days * 24 * lostEvents.length * maxMessages})
  )
  WHERE message < 60 - 25 * cos(toHour(time) / 24 * 2 * pi()) AND NOT (name = ${quote(event)} AND time >= release)
  SETTINGS input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0`;
