-- What each person did without a pause of 30 minutes: sessions(source = 'AbCdEf123456', from = '2026-03-01', to = '2026-04-01').
-- The sessions that start in the range, whole: so of ranges that follow each other each session is in one. Half an hour
-- before `from` is read too, to know what had started, and a day after `to`, for what lasts on.
-- Moments are milliseconds from where the reading begins. They are gathered by id first: there are far fewer ids than events
-- to look people up for. Numbers of 32 bits hold 49 days of reading and take less time than those of 64: the range determines
-- which they are.
-- `links` has the rule of identity_links (0005) and must keep it: the first user by time, as text with the time in 16 digits
-- before the user. It is grouped by a number, which is quicker. `identifies.user_id` is the column, not the alias.
-- A person counts as a bot if any of the events that are read has the user agent of one.
DROP VIEW IF EXISTS sessions;
CREATE VIEW IF NOT EXISTS sessions AS
WITH
    {from:DateTime64(3, 'UTC')} - INTERVAL 30 MINUTE AS read_from,
    {to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY AS read_to,
    toUnixTimestamp64Milli(read_from) AS began,
    if(toUnixTimestamp64Milli(read_to) - began < 4294967296, 'UInt32', 'Int64') AS moment_type,
    links AS
    (
        SELECT
            sipHash64('anonymous', anonymous_id) AS identity,
            substring(min(concat(toString(5000000000000000 + toUnixTimestamp64Milli(least(timestamp, received_at))), identifies.user_id)), 17) AS user_id,
            sipHash64('user', user_id) AS person
        FROM identifies
        WHERE source_id = {source:String} AND identifies.user_id != '' AND anonymous_id != ''
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
WHERE started_at >= {from:DateTime64(3, 'UTC')} AND started_at < {to:DateTime64(3, 'UTC')}
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;
