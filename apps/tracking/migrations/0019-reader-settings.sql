-- Views answer the same to every reader, whatever the settings of their profile or client, and read the ranges that people
-- write: docs/decisions/0092-views-for-every-reader.md. All views below are those of earlier migrations but for that.

-- What links an anonymous id to a user: see 0018.
-- The names of `forgotten` are few: each is planned anew wherever it stands.
DROP VIEW IF EXISTS identity_claims;
CREATE VIEW IF NOT EXISTS identity_claims AS
WITH
    (SELECT maxMap([sipHash64(source_id, identity)], [toUnixTimestamp64Milli(received_at)]) FROM forgotten_links) AS forgotten
SELECT
    source_id,
    anonymous_id,
    user_id,
    identity,
    least(timestamp, received_at) AS said_at,
    received_at
FROM identifies
WHERE lower(user_id) NOT IN ('undefined', 'null', '(null)', '<null>', 'nil', '<nil>', 'none', 'nan', 'true', 'false', '-1', '[]', '{}', '[object object]', 'n/a', 'unknown', 'unset', 'anonymous', 'guest', 'not_authenticated', 'id', 'userid', 'user_id', 'anonymousid', 'anonymous_id', 'distinctid', 'distinct_id', 'deviceid', 'device_id', 'email', '9774d56d682e549c', '02:00:00:00:00:00') AND trimBoth(user_id, '0-_.: ') != ''
    AND lower(anonymous_id) NOT IN ('undefined', 'null', '(null)', '<null>', 'nil', '<nil>', 'none', 'nan', 'true', 'false', '-1', '[]', '{}', '[object object]', 'n/a', 'unknown', 'unset', 'anonymous', 'guest', 'not_authenticated', 'id', 'userid', 'user_id', 'anonymousid', 'anonymous_id', 'distinctid', 'distinct_id', 'deviceid', 'device_id', 'email', '9774d56d682e549c', '02:00:00:00:00:00') AND trimBoth(anonymous_id, '0-_.: ') != ''
    AND (empty(forgotten.1)
        OR arrayAll(
            id -> toUnixTimestamp64Milli(received_at) > transform(id, forgotten.1, forgotten.2, toInt64(0)),
            [sipHash64(source_id, identity), sipHash64(source_id, sipHash64('anonymous', anonymous_id))]))
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0;

-- Which user an anonymous id belongs to: see 0005.
DROP VIEW IF EXISTS identity_links;
CREATE VIEW IF NOT EXISTS identity_links AS
SELECT
    source_id,
    anonymous_id,
    substring(first_said, 17) AS user_id,
    fromUnixTimestamp64Milli(toInt64(substring(first_said, 1, 16)) - 5000000000000000, 'UTC') AS linked_at,
    users
FROM
(
    SELECT
        source_id,
        anonymous_id,
        min(concat(toString(5000000000000000 + toUnixTimestamp64Milli(said_at)), user_id)) AS first_said,
        uniqExact(user_id) AS users
    FROM identity_claims
    GROUP BY source_id, anonymous_id
)
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0;

-- Each event of a source once, with the person it belongs to: see 0005.
DROP VIEW IF EXISTS events_resolved;
CREATE VIEW IF NOT EXISTS events_resolved AS
SELECT
    events.source_id AS source_id,
    events.event AS event,
    events.timestamp AS timestamp,
    if(events.user_id != '', events.user_id, if(link.user_id != '', link.user_id, events.anonymous_id)) AS person_id,
    if(link.person != 0, link.person, events.identity) AS person,
    events.user_id AS user_id,
    events.anonymous_id AS anonymous_id,
    events.message_id AS message_id,
    events.properties AS properties,
    events.context AS context,
    events.received_at AS received_at,
    events.user_agent AS user_agent,
    events.country AS country
FROM events FINAL
LEFT ANY JOIN
(
    SELECT sipHash64('anonymous', anonymous_id) AS identity, user_id, sipHash64('user', user_id) AS person
    FROM identity_links
    WHERE source_id = {source:String}
) AS link ON link.identity = events.identity
WHERE events.source_id = {source:String}
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL', do_not_merge_across_partitions_select_final = 1;

-- Each event of a source once, with what its user agent says: see 0011.
DROP VIEW IF EXISTS event_clients;
CREATE VIEW IF NOT EXISTS event_clients AS
SELECT
    events.source_id AS source_id,
    events.event AS event,
    events.timestamp AS timestamp,
    events.user_id AS user_id,
    events.anonymous_id AS anonymous_id,
    events.identity AS identity,
    events.message_id AS message_id,
    events.properties AS properties,
    events.context AS context,
    events.received_at AS received_at,
    events.country AS country,
    events.user_agent AS user_agent,
    agent.browser AS browser,
    agent.browser_major AS browser_major,
    agent.os AS os,
    agent.device AS device,
    agent.is_bot AS is_bot,
    agent.bot_name AS bot_name
FROM events FINAL
LEFT ANY JOIN
(
    SELECT user_agent, browser, browser_major, os, device, is_bot, bot_name FROM user_agents FINAL
) AS agent ON agent.user_agent = events.user_agent
WHERE events.source_id = {source:String}
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL', do_not_merge_across_partitions_select_final = 1;

-- Events, and the ids they came under, by event and day (UTC): see 0017.
DROP VIEW IF EXISTS event_counts;
CREATE VIEW IF NOT EXISTS event_counts AS
SELECT
    source_id,
    event,
    toDate(timestamp) AS day,
    count() AS events,
    uniqExact(identity) AS people,
    countIf(user_agent IN (SELECT user_agent FROM bots)) AS bot_events,
    uniqExactIf(identity, user_agent IN (SELECT user_agent FROM bots)) AS bot_people
FROM events FINAL
WHERE timestamp >= toDateTime64('1970-01-01', 3, 'UTC') AND timestamp < toDateTime64('2149-06-07', 3, 'UTC')
GROUP BY source_id, event, day
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0,
    do_not_merge_across_partitions_select_final = 1;

-- What each person did without a pause of 30 minutes: see 0014. `links` has the rule of identity_links and must keep it.
-- `from` and `to` are texts: ClickHouse gives an expression such as now() to a view as the text of its value. A text that is
-- no time is an error with a sentence. The error is a subquery: throwIf alone is not evaluated when no row is read. All else
-- is a constant when the query is planned, so parts and granules are left out as by a time.
DROP VIEW IF EXISTS sessions;
CREATE VIEW IF NOT EXISTS sessions AS
WITH
    if(
        match({from:String}, '^((19|2[0-2])[0-9]{2}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?( ?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9]))?)?|[0-9]{9,10}([.][0-9]+)?|[0-9]{13})$') AND isNotNull(parseDateTime64BestEffortOrNull({from:String}, 3, 'UTC')),
        greatest(parseDateTime64BestEffort({from:String}, 3, 'UTC'), toDateTime64('1970-01-01', 3, 'UTC')),
        (SELECT toDateTime64(throwIf(1, concat('from must be a time such as 2026-03-01 or 2026-03-01T00:00:00Z, and is "', {from:String}, '"')), 3, 'UTC'))
    ) AS since,
    if(
        match({to:String}, '^((19|2[0-2])[0-9]{2}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?( ?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9]))?)?|[0-9]{9,10}([.][0-9]+)?|[0-9]{13})$') AND ifNull(parseDateTime64BestEffortOrNull({to:String}, 3, 'UTC') >= since, false),
        least(parseDateTime64BestEffort({to:String}, 3, 'UTC'), toDateTime64('2149-06-07', 3, 'UTC')),
        (SELECT toDateTime64(throwIf(1, concat('to must be a time such as 2026-03-01 or 2026-03-01T00:00:00Z, not before from, and is "', {to:String}, '"')), 3, 'UTC'))
    ) AS until,
    greatest(since - INTERVAL 30 MINUTE, toDateTime64('1970-01-01', 3, 'UTC')) AS read_from,
    least(until + INTERVAL 1 DAY, toDateTime64('2149-06-07', 3, 'UTC')) AS read_to,
    toUnixTimestamp64Milli(read_from) AS began,
    if(toUnixTimestamp64Milli(read_to) - began < 4294967296, 'UInt32', 'Int64') AS moment_type,
    links AS
    (
        SELECT
            sipHash64('anonymous', anonymous_id) AS identity,
            substring(min(concat(toString(5000000000000000 + toUnixTimestamp64Milli(said_at)), claims.user_id)), 17) AS user_id,
            sipHash64('user', user_id) AS person
        FROM identity_claims AS claims
        WHERE source_id = {source:String}
        GROUP BY identity
    ),
    ids AS
    (
        SELECT
            identity,
            any(if(user_id != '', user_id, anonymous_id)) AS id,
            max(user_agent IN (SELECT user_agent FROM bots)) AS is_bot,
            groupArray(CAST(toUnixTimestamp64Milli(timestamp) - began, moment_type)) AS moments
        FROM events FINAL
        WHERE source_id = {source:String} AND timestamp >= read_from AND timestamp < read_to
        GROUP BY identity
    ),
    people AS
    (
        SELECT
            if(links.person != 0, links.person, ids.identity) AS person,
            any(if(links.user_id != '', links.user_id, ids.id)) AS person_id,
            max(ids.is_bot) AS is_bot,
            arraySort(groupArrayArray(ids.moments)) AS moments,
            arraySplit((moment, pause) -> pause >= 1800000, moments, arrayDifference(moments)) AS sessions
        FROM ids
        LEFT ANY JOIN links ON links.identity = ids.identity
        GROUP BY person
    )
SELECT
    {source:String} AS source_id,
    person_id,
    person,
    fromUnixTimestamp64Milli(began + session[1], 'UTC') AS started_at,
    fromUnixTimestamp64Milli(began + session[-1], 'UTC') AS ended_at,
    (session[-1] - session[1]) / 1000 AS seconds,
    toUInt64(length(session)) AS events,
    (is_bot != 0)::Bool AS is_bot
FROM people
ARRAY JOIN sessions AS session
WHERE began + session[1] >= toUnixTimestamp64Milli(since) AND began + session[1] < toUnixTimestamp64Milli(until)
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL', do_not_merge_across_partitions_select_final = 1;

-- Of the people who came on a day, how many came again later: see 0010 and 0011.
DROP VIEW IF EXISTS retention;
CREATE VIEW IF NOT EXISTS retention AS
WITH
    if(
        match({from:String}, '^((19|2[0-2])[0-9]{2}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?( ?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9]))?)?|[0-9]{9,10}([.][0-9]+)?|[0-9]{13})$') AND isNotNull(parseDateTime64BestEffortOrNull({from:String}, 3, 'UTC')),
        greatest(parseDateTime64BestEffort({from:String}, 3, 'UTC'), toDateTime64('1970-01-01', 3, 'UTC')),
        (SELECT toDateTime64(throwIf(1, concat('from must be a time such as 2026-03-01 or 2026-03-01T00:00:00Z, and is "', {from:String}, '"')), 3, 'UTC'))
    ) AS since,
    if(
        match({to:String}, '^((19|2[0-2])[0-9]{2}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?( ?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9]))?)?|[0-9]{9,10}([.][0-9]+)?|[0-9]{13})$') AND ifNull(parseDateTime64BestEffortOrNull({to:String}, 3, 'UTC') >= since, false),
        least(parseDateTime64BestEffort({to:String}, 3, 'UTC'), toDateTime64('2149-06-07', 3, 'UTC')),
        (SELECT toDateTime64(throwIf(1, concat('to must be a time such as 2026-03-01 or 2026-03-01T00:00:00Z, not before from, and is "', {to:String}, '"')), 3, 'UTC'))
    ) AS until,
    toDateTime64(toDate32(since), 3, 'UTC') AS since_day,
    if(since = since_day, since, since_day + INTERVAL 1 DAY) AS whole_from,
    greatest(whole_from, toDateTime64(toDate32(until), 3, 'UTC')) AS whole_to,
    dateDiff('day', since, until) < 64 AS is_short,
    links AS
    (
        SELECT sipHash64('anonymous', anonymous_id) AS identity, sipHash64('user', user_id) AS person
        FROM identity_links
        WHERE source_id = {source:String}
    ),
    visits AS
    (
        SELECT identity, toUInt16(dateDiff('day', since, timestamp)) AS day, user_agent IN (SELECT user_agent FROM bots) AS is_bot
        FROM events
        WHERE source_id = {source:String} AND timestamp >= whole_from AND timestamp < whole_to
        UNION ALL
        SELECT identity, toUInt16(dateDiff('day', since, timestamp)) AS day, user_agent IN (SELECT user_agent FROM bots) AS is_bot
        FROM events FINAL
        WHERE source_id = {source:String}
            AND ((timestamp >= since AND timestamp < least(whole_from, until)) OR (timestamp >= whole_to AND timestamp < until))
    ),
    patterns AS
    (
        SELECT bitPositionsToArray(days) AS days, people, bots
        FROM
        (
            SELECT days, count() AS people, countIf(is_bot) AS bots
            FROM
            (
                SELECT groupBitOr(ids.days) AS days, max(ids.is_bot) AS is_bot
                FROM (SELECT identity, groupBitOr(bitShiftLeft(toUInt64(1), day)) AS days, max(is_bot) AS is_bot FROM visits WHERE is_short GROUP BY identity) AS ids
                LEFT ANY JOIN links ON links.identity = ids.identity
                GROUP BY if(links.person != 0, links.person, ids.identity)
            )
            GROUP BY days
        )
        UNION ALL
        SELECT days, 1 AS people, toUInt64(is_bot) AS bots
        FROM
        (
            SELECT arraySort(groupUniqArrayArray(arrayMap(bit -> toUInt8(bit) + ids.span * 64, bitPositionsToArray(ids.days)))) AS days, max(ids.is_bot) AS is_bot
            FROM
            (
                SELECT identity, intDiv(day, 64) AS span, groupBitOr(bitShiftLeft(toUInt64(1), day % 64)) AS days, max(is_bot) AS is_bot
                FROM visits
                WHERE NOT is_short
                GROUP BY identity, span
            ) AS ids
            LEFT ANY JOIN links ON links.identity = ids.identity
            GROUP BY if(links.person != 0, links.person, ids.identity)
        )
    )
SELECT
    {source:String} AS source_id,
    toDate(since) + days[1] AS first_day,
    toUInt16(day - days[1]) AS days_later,
    sum(people) AS people,
    sum(bots) AS bots
FROM patterns
ARRAY JOIN days AS day
GROUP BY days[1], day
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL', do_not_merge_across_partitions_select_final = 1;
