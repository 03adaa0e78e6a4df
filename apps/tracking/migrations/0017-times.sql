-- Dates end on 2149-06-06: a time after that, or before 1970, has a day of another century. The gateway refuses such times
-- now; events that earlier gateways took count on no day, and hide no others. docs/decisions/0079-times.md.

-- With statistics, ClickHouse leaves out parts whose range of days ends before it begins, with all rows of all sources.
ALTER TABLE events MODIFY SETTING auto_statistics_types = '';
ALTER TABLE identifies MODIFY SETTING auto_statistics_types = '';
ALTER TABLE users MODIFY SETTING auto_statistics_types = '';
ALTER TABLE refused_messages MODIFY SETTING auto_statistics_types = '';

-- Events, and the ids they came under, by event and day (UTC). Copies of a message count once.
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
SETTINGS do_not_merge_across_partitions_select_final = 1;

-- Of the people who came on a day, how many came again later: see 0010 and 0011.
DROP VIEW IF EXISTS retention;
CREATE VIEW IF NOT EXISTS retention AS
WITH
    greatest({from:DateTime64(3, 'UTC')}, toDateTime64('1970-01-01', 3, 'UTC')) AS since,
    least({to:DateTime64(3, 'UTC')}, toDateTime64('2149-06-07', 3, 'UTC')) AS until,
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
GROUP BY first_day, days_later
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;
