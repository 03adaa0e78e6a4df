-- Copies of a message lie in one week (but for what docs/decisions/0016-analysts-tables.md says of repeats): FINAL need not look for them across weeks, and a week
-- that is one part is read as if there were no FINAL (docs/decisions/0016-analysts-tables.md).

-- Which user an anonymous id belongs to: the first one, by time, that an identify with both ids named. A link stays when
-- another user signs in on the same device later; only an earlier identify that arrives late changes it.
-- The least of (time, user) is looked for as one text, the time in 16 digits before the user: of tuples it takes twice as long.
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
        min(concat(toString(5000000000000000 + toUnixTimestamp64Milli(least(timestamp, received_at))), user_id)) AS first_said,
        uniqExact(user_id) AS users
    FROM identifies
    WHERE user_id != '' AND anonymous_id != ''
    GROUP BY source_id, anonymous_id
);

-- Each event of a source once, with the person it belongs to: its user; else the user its anonymous id is linked to, also
-- where the event came before they signed in; else its anonymous id: events_resolved(source = 'AbCdEf123456'). `person` is
-- the same as a number, quicker to count and group. A parameter, because a join by source and id takes twice as long.
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
    events.received_at AS received_at
FROM events FINAL
LEFT ANY JOIN
(
    SELECT sipHash64('anonymous', anonymous_id) AS identity, user_id, sipHash64('user', user_id) AS person
    FROM identity_links
    WHERE source_id = {source:String}
) AS link ON link.identity = events.identity
WHERE events.source_id = {source:String}
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;

-- Events, and the ids they came under, by event and day (UTC). Copies of a message count once.
CREATE VIEW IF NOT EXISTS event_counts AS
SELECT
    source_id,
    event,
    toDate(timestamp) AS day,
    count() AS events,
    uniqExact(identity) AS people
FROM events FINAL
GROUP BY source_id, event, day
SETTINGS do_not_merge_across_partitions_select_final = 1;

-- What each person did without a pause of 30 minutes: sessions(source = 'AbCdEf123456', from = '2026-03-01', to = '2026-04-01').
-- The sessions that start in the range, whole: so of ranges that follow each other each session is in one. Half an hour
-- before `from` is read too, to know what had started, and a day after `to`, for what lasts on.
-- Moments are gathered by id first, for there are far fewer ids than events to look people up for, and as milliseconds of
-- 32 bits from where the reading begins: those take half the memory, which is what the time goes to. 32 bits are 49 days;
-- what goes beyond is gathered span by span. A short range has one span, said in advance: groups of two numbers take longer.
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
    toUInt64(length(session)) AS events
FROM people
ARRAY JOIN sessions AS session
WHERE started_at >= {from:DateTime64(3, 'UTC')} AND started_at < {to:DateTime64(3, 'UTC')}
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;
