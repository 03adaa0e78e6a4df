/** Events of a source, and of all sources together, that are watched: the most frequent ones. */
const maxEventsOfSource = 2_000;
export const maxSeries = 20_000;

/** Rows that arrived within an hour are stored after its beginning; clocks of servers may differ by this. */
const clockSlack = 'INTERVAL 10 MINUTE';

const period = `received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND received_at < fromUnixTimestamp64Milli({until:Int64}, 'UTC')
    AND stored_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') - ${clockSlack}`;
const startHour = (column: string): string => `toDateTime(toStartOfHour(${column}), 'UTC')`;

/**
 * Counts the messages of some hours again, those that were stored and those that were refused and kept whole. Copies of a
 * stored message count until a merge removes them.
 */
export const countEvents = `INSERT INTO event_hours (source_id, event, hour, messages, refused)
  SELECT source_id, event, hour, sum(messages) AS messages, sum(refused) AS refused FROM
  (
    SELECT source_id, event, ${startHour('received_at')} AS hour, count() AS messages, toUInt64(0) AS refused
    FROM events WHERE ${period} GROUP BY source_id, event, hour
    UNION ALL
    SELECT source_id, event, ${startHour('received_at')} AS hour, toUInt64(0), uniqExact(message_id)
    FROM refused_messages
    WHERE received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND received_at < fromUnixTimestamp64Milli({until:Int64}, 'UTC')
      AND kind = 'track' AND event != '' AND length(event) <= 64
    GROUP BY source_id, event, hour
  )
  GROUP BY source_id, event, hour
  ORDER BY messages DESC, refused DESC LIMIT ${maxEventsOfSource} BY source_id, hour`;

/** The time at which an SDK sent the message; a message of another client may be late for good reasons. */
const sentAt = "parseDateTime64BestEffortOrNull(context.sent_at.:String, 3, 'UTC')";

export const countSources = `INSERT INTO source_hours (source_id, hour, messages, refused, devices, wrong_clocks)
  SELECT source_id, hour, sum(messages), sum(refused), sum(devices), sum(wrong_clocks) FROM
  (
    SELECT toString(source_id) AS source_id, ${startHour('received_at')} AS hour, count() AS messages, toUInt64(0) AS refused,
      uniqIf(identity, isNotNull(${sentAt})) AS devices,
      uniqIf(identity, abs(dateDiff('second', ifNull(${sentAt}, received_at), received_at)) > 600) AS wrong_clocks
    FROM events WHERE ${period} GROUP BY source_id, hour
    UNION ALL
    SELECT toString(source_id) AS source_id, ${startHour('received_at')} AS hour, toUInt64(0), sum(requests), toUInt64(0), toUInt64(0)
    FROM refused_requests FINAL
    WHERE received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND received_at < fromUnixTimestamp64Milli({until:Int64}, 'UTC')
      AND kind = 'count' AND counted IN ('refused', 'rejected') AND source_id != ''
    GROUP BY source_id, hour
  )
  GROUP BY source_id, hour`;

/** Numbers of an event in an hour from which one of so many messages is looked at, the greatest first. */
const samples = [
  { messages: 80_000, every: 200 },
  { messages: 8_000, every: 20 },
  { messages: 800, every: 2 },
] as const;

const isFrequent = (messages: number): string =>
  `(source_id, event) IN (SELECT source_id, event FROM event_hours FINAL WHERE hour = toDateTime({from:Int64} / 1000, 'UTC') AND messages >= ${messages})`;
const sampleEvery = `multiIf(${samples.map(({ messages, every }) => `${isFrequent(messages)}, ${every}`).join(', ')}, 1)`;

/** The types of JSON; a number that happens to be whole is still a number. */
const plainType = (type: string): string =>
  `multiIf(match(${type}, '^U?Int|^Float'), 'number', ${type} = 'String', 'text', ${type} = 'Bool', 'boolean', startsWith(${type}, 'Array'), 'array', ${type})`;
const plainTypes = `arrayMap((path, type) -> (path, ${plainType('type')}), mapKeys(JSONAllPathsWithTypes(properties)), mapValues(JSONAllPathsWithTypes(properties)))`;

/** Looks at the properties of a sample of one hour. Rare ones are left out, and so are names that hold ids. */
export const countProperties = `INSERT INTO property_hours (source_id, event, hour, property, type, messages)
  SELECT source_id, event, toDateTime({from:Int64} / 1000, 'UTC'), found.1, found.2, messages FROM
  (
    SELECT source_id, event, found, count() AS messages, max(count()) OVER (PARTITION BY source_id, event) AS looked
    FROM (SELECT source_id, event, properties FROM events WHERE ${period} AND sipHash64(message_id) % ${sampleEvery} = 0)
    ARRAY JOIN arrayConcat([('', '')], ${plainTypes}) AS found
    GROUP BY source_id, event, found
  )
  WHERE messages * 10 >= looked
  ORDER BY messages DESC LIMIT 100 BY source_id, event`;

/** Hours of earlier arrivals whose rows were stored lately, such as those that a gateway had on its disk. */
export const selectLateHours = `SELECT DISTINCT toUnixTimestamp(toStartOfHour(received_at)) * 1000 AS hour FROM events
  WHERE stored_at >= fromUnixTimestamp64Milli({storedSince:Int64}, 'UTC')
    AND received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND received_at < fromUnixTimestamp64Milli({until:Int64}, 'UTC')
  ORDER BY hour LIMIT 1000`;

export const selectEventHours = `SELECT source_id AS source, event, groupArray(dateDiff('hour', toDateTime({from:Int64} / 1000, 'UTC'), hour)) AS hours,
    groupArray(messages) AS counts
  FROM event_hours FINAL
  WHERE hour >= toDateTime({from:Int64} / 1000, 'UTC') AND hour < toDateTime({until:Int64} / 1000, 'UTC')
  GROUP BY source_id, event HAVING sum(messages) > 0 ORDER BY sum(messages) DESC LIMIT ${maxSeries}`;

/** Events of which any message was refused in the judged hours: of the others, no share rose. */
export const selectRefusedHours = `SELECT source_id AS source, event, groupArray(dateDiff('hour', toDateTime({from:Int64} / 1000, 'UTC'), hour)) AS hours,
    groupArray(messages) AS messages, groupArray(refused) AS refused
  FROM event_hours FINAL
  WHERE hour >= toDateTime({from:Int64} / 1000, 'UTC') AND hour < toDateTime({until:Int64} / 1000, 'UTC')
    AND (source_id, event) IN (
      SELECT source_id, event FROM event_hours FINAL WHERE refused > 0 AND hour >= toDateTime({until:Int64} / 1000, 'UTC') - INTERVAL 24 HOUR)
  GROUP BY source_id, event LIMIT ${maxSeries}`;

export const selectSourceHours = `SELECT source_id AS source, groupArray(dateDiff('hour', toDateTime({from:Int64} / 1000, 'UTC'), hour)) AS hours,
    groupArray(messages) AS messages, groupArray(refused) AS refused, groupArray(devices) AS devices, groupArray(wrong_clocks) AS wrongClocks
  FROM source_hours FINAL
  WHERE hour >= toDateTime({from:Int64} / 1000, 'UTC') AND hour < toDateTime({until:Int64} / 1000, 'UTC')
  GROUP BY source_id LIMIT ${maxSeries}`;

export const selectPropertyHours = `SELECT source_id AS source, event, toUnixTimestamp(property_hours.hour) * 1000 AS hourTime,
    groupArray(property) AS properties, groupArray(type) AS types, groupArray(messages) AS counts
  FROM property_hours FINAL
  WHERE hour IN (SELECT arrayJoin(arrayMap(time -> toDateTime(time / 1000, 'UTC'), {hours:Array(Int64)})))
  GROUP BY source_id, event, property_hours.hour ORDER BY sum(messages) DESC LIMIT 200000`;

const values = `[
    ('app', ifNull(context.app.version.:String, '')),
    ('sdk', trim(concat(ifNull(context.sdk.name.:String, ifNull(context.library.name.:String, '')), ' ', ifNull(context.sdk.version.:String, ifNull(context.library.version.:String, ''))))),
    ('host', domain(ifNull(context.page.url.:String, '')))]`;

const countsOfValues = (isPart: string): string => `
    toFloat64(countIf(is_before AND ${isPart})) AS partBefore, toFloat64(countIf(is_before)) AS wholeBefore,
    toFloat64(countIf(NOT is_before AND ${isPart})) AS partAfter, toFloat64(countIf(NOT is_before)) AS wholeAfter`;

/** Versions and hosts around a change, with the messages of the event, or of the event with the property as it was. */
export const selectValues = `SELECT found.1 AS dimension, substring(found.2, 1, 64) AS value, ${countsOfValues('is_part')}
  FROM
  (
    SELECT received_at < fromUnixTimestamp64Milli({began:Int64}, 'UTC') AS is_before,
      if({property:String} = '', event = {event:String}, has(${plainTypes}, ({property:String}, {type:String}))) AS is_part,
      arrayJoin(${values}) AS found
    FROM events WHERE source_id = {source:String} AND (event = {event:String} OR {property:String} = '') AND ${period}
  )
  GROUP BY dimension, value ORDER BY wholeAfter DESC LIMIT 300`;

export const selectOpenChanges = `SELECT source_id AS source, event, property, kind, toUnixTimestamp(began) * 1000 AS began,
    toUnixTimestamp(found) * 1000 AS found, observed, expected_low AS expectedLow, expected_high AS expectedHigh,
    type_before AS typeBefore, type, since
  FROM event_changes FINAL WHERE ended = toDateTime(0, 'UTC') ORDER BY found DESC LIMIT ${maxSeries}`;

/**
 * The last mute of each event. The operator writes rows; a mute of the console, which writes nothing in ClickHouse, is its
 * action.
 */
export const lastMutes = `SELECT source_id, event, argMax(mute_until, changed) AS until, argMax(mute_reason, changed) AS reason, argMax(mute_actor, changed) AS actor
  FROM
  (
    SELECT toString(event_mutes.source_id) AS source_id, toString(event_mutes.event) AS event, event_mutes.until AS mute_until,
      event_mutes.reason AS mute_reason, event_mutes.actor AS mute_actor, event_mutes.stored_at AS changed
    FROM event_mutes FINAL
    UNION ALL
    SELECT object AS source_id, JSONExtractString(details, 'event') AS event,
      toDateTime(parseDateTimeBestEffortOrZero(JSONExtractString(details, 'until'), 'UTC'), 'UTC') AS mute_until,
      JSONExtractString(details, 'reason') AS mute_reason, operator_actions.actor AS mute_actor, received_at AS changed
    FROM operator_actions
    WHERE operation IN ('watch.mute', 'watch.unmute') AND face = 'console' AND outcome = 'done' AND received_at > now() - INTERVAL 400 DAY
  )
  GROUP BY source_id, event`;

/** Open changes by kind, without those that are muted now. */
export const countOpenChanges = `SELECT kind, toUInt32(count()) AS changes FROM event_changes FINAL
  WHERE ended = toDateTime(0, 'UTC')
    AND (source_id, event) NOT IN (SELECT source_id, event FROM (${lastMutes}) WHERE until > now())
  GROUP BY kind`;
