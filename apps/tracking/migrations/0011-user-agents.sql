-- What a request tells of its client, and what a parser makes of that: docs/decisions/0068-user-agents.md.
ALTER TABLE events ADD COLUMN IF NOT EXISTS user_agent LowCardinality(String)
    COMMENT 'User agent of the client, at most 256 characters; empty if it is not known or not kept' CODEC(ZSTD(1));
ALTER TABLE events ADD COLUMN IF NOT EXISTS country LowCardinality(String)
    COMMENT 'Country of the request in two letters, as the edge of the operator named it; empty if it did not' CODEC(ZSTD(1));
ALTER TABLE identifies ADD COLUMN IF NOT EXISTS user_agent LowCardinality(String) COMMENT 'As in events' CODEC(ZSTD(1));
ALTER TABLE identifies ADD COLUMN IF NOT EXISTS country LowCardinality(String) COMMENT 'As in events' CODEC(ZSTD(1));

-- What a parser makes of each distinct text. A newer parser replaces the answers of an older one, also for the past.
CREATE TABLE IF NOT EXISTS user_agents
(
    user_agent     String                 COMMENT 'Text, as in events' CODEC(ZSTD(1)),
    browser        LowCardinality(String) COMMENT 'Name of the browser, empty if it is not known',
    browser_major  UInt16                 COMMENT 'First number of its version, 0 if it is not known',
    os             LowCardinality(String) COMMENT 'Operating system, empty if it is not known',
    device         LowCardinality(String) COMMENT 'desktop, mobile, tablet, tv or bot; empty if it is not known',
    is_bot         Bool                   COMMENT 'Whether it names itself as a program without a person',
    bot_name       LowCardinality(String) COMMENT 'Name of the bot',
    is_parsed      Bool                   COMMENT 'false if the parser failed with this text',
    parser_version UInt32                 COMMENT 'Version of the parser that gave this answer',
    stored_at      DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(parser_version)
ORDER BY user_agent
SETTINGS non_replicated_deduplication_window = 10000;

-- The texts of bots. Every event counts whatever its text is; who asks leaves them out.
CREATE VIEW IF NOT EXISTS bots AS
SELECT user_agent, bot_name FROM user_agents FINAL WHERE is_bot;

-- Each event of a source once, with what its user agent says: event_clients(source = 'AbCdEf123456').
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
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;

-- The views below are those of 0005 and 0010 with a column about bots each. ClickHouse reads and gathers what it is made of
-- only for queries that name it. They are dropped first: to replace a view in place takes the right to drop tables.
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
GROUP BY source_id, event, day
SETTINGS do_not_merge_across_partitions_select_final = 1;

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
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;

-- A person counts as a bot if any of the events that are read has the user agent of one.
DROP VIEW IF EXISTS sessions;
CREATE VIEW IF NOT EXISTS sessions AS
WITH
    {from:DateTime64(3, 'UTC')} - INTERVAL 30 MINUTE AS read_from,
    {to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY AS read_to,
    4294967296 AS span_length,
    toUnixTimestamp64Milli(read_from) AS began,
    toUnixTimestamp64Milli(timestamp) - began AS moment,
    links AS
    (
        SELECT sipHash64('anonymous', anonymous_id) AS identity, user_id, sipHash64('user', user_id) AS person
        FROM identity_links
        WHERE source_id = {source:String}
    ),
    ids AS
    (
        SELECT
            identity,
            if(toUnixTimestamp64Milli(read_to) - began < span_length, 0, intDiv(moment, span_length)) AS span,
            any(if(user_id != '', user_id, anonymous_id)) AS id,
            max(user_agent IN (SELECT user_agent FROM bots)) AS is_bot,
            groupArray(toUInt32(moment % span_length)) AS moments
        FROM events FINAL
        WHERE source_id = {source:String} AND timestamp >= read_from AND timestamp < read_to
        GROUP BY identity, span
    ),
    people AS
    (
        SELECT
            if(links.person != 0, links.person, ids.identity) AS person,
            any(if(links.user_id != '', links.user_id, ids.id)) AS person_id,
            arraySort(groupArrayArray(arrayMap(rest -> began + span * span_length + rest, moments))) AS times,
            max(ids.is_bot) AS is_bot,
            arraySplit((time, pause) -> pause >= 1800000, times, arrayDifference(times)) AS sessions
        FROM ids
        LEFT ANY JOIN links ON links.identity = ids.identity
        GROUP BY person
    )
SELECT
    {source:String} AS source_id,
    person_id,
    person,
    fromUnixTimestamp64Milli(session[1], 'UTC') AS started_at,
    fromUnixTimestamp64Milli(session[-1], 'UTC') AS ended_at,
    (session[-1] - session[1]) / 1000 AS seconds,
    toUInt64(length(session)) AS events,
    (is_bot != 0)::Bool AS is_bot
FROM people
ARRAY JOIN sessions AS session
WHERE started_at >= {from:DateTime64(3, 'UTC')} AND started_at < {to:DateTime64(3, 'UTC')}
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;

DROP VIEW IF EXISTS retention;
CREATE VIEW IF NOT EXISTS retention AS
WITH
    {from:DateTime64(3, 'UTC')} AS since,
    {to:DateTime64(3, 'UTC')} AS until,
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
