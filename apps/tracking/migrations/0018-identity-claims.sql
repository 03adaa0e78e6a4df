-- Placeholders never link people, and an operator can forget the links that an id made: docs/decisions/0087-placeholder-ids.md
-- and docs/decisions/0088-forgotten-links.md.

-- Ids whose links do not count, as far as they were made by what arrived until then: `operator privacy forget-links`.
CREATE TABLE IF NOT EXISTS forgotten_links
(
    source_id   LowCardinality(String)  COMMENT 'Source of the id: its sourceIdentifier',
    kind        LowCardinality(String)  COMMENT 'user or anonymous',
    identity    UInt64                  COMMENT 'The id as a number: sipHash64(kind, id)' CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC')    COMMENT 'Identify messages that arrived until then make no link' CODEC(T64, ZSTD(1)),
    stored_at   DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(received_at)
ORDER BY (source_id, identity)
SETTINGS non_replicated_deduplication_window = 10000;

-- What links an anonymous id to a user: one row for each identify with both ids of people, unless its link is forgotten.
-- All links are made from here. The list of placeholders is that of libs/contracts/src/tracking/placeholder-ids.ts.
-- Forgotten ids are few: while there are none, the condition is a constant. A message that arrived in the same millisecond
-- counts as forgotten.
CREATE VIEW IF NOT EXISTS identity_claims AS
WITH
    (SELECT maxMap([sipHash64(source_id, identity)], [toUnixTimestamp64Milli(received_at)]) FROM forgotten_links) AS forgotten,
    toUnixTimestamp64Milli(received_at) AS arrival
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
        OR (arrival > transform(sipHash64(source_id, identity), forgotten.1, forgotten.2, toInt64(0))
            AND arrival > transform(sipHash64(source_id, sipHash64('anonymous', anonymous_id)), forgotten.1, forgotten.2, toInt64(0))));

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
);

-- What each person did without a pause of 30 minutes: see 0014. `links` has the rule of identity_links and must keep it.
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
WHERE started_at >= {from:DateTime64(3, 'UTC')} AND started_at < {to:DateTime64(3, 'UTC')}
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;

-- One row per person with the latest value of each trait: see 0016. A placeholder is not a person.
DROP VIEW IF EXISTS user_traits;
CREATE VIEW IF NOT EXISTS user_traits AS
SELECT
    source_id,
    user_id,
    anonymous_id,
    concat('{', arrayStringConcat(groupArray(concat(toJSONString(trait), ':', value)), ','), '}')::JSON(max_dynamic_paths = 256) AS traits,
    max(said_at) AS updated_at
FROM users FINAL
WHERE lower(if(user_id = '', anonymous_id, user_id)) NOT IN ('undefined', 'null', '(null)', '<null>', 'nil', '<nil>', 'none', 'nan', 'true', 'false', '-1', '[]', '{}', '[object object]', 'n/a', 'unknown', 'unset', 'anonymous', 'guest', 'not_authenticated', 'id', 'userid', 'user_id', 'anonymousid', 'anonymous_id', 'distinctid', 'distinct_id', 'deviceid', 'device_id', 'email', '9774d56d682e549c', '02:00:00:00:00:00') AND trimBoth(if(user_id = '', anonymous_id, user_id), '0-_.: ') != ''
GROUP BY source_id, user_id, anonymous_id
SETTINGS
    input_format_try_infer_dates = 0,
    input_format_try_infer_datetimes = 0,
    input_format_json_infer_array_of_dynamic_from_array_of_different_types = 1,
    input_format_json_read_bools_as_strings = 0,
    input_format_json_read_bools_as_numbers = 0,
    input_format_json_read_numbers_as_strings = 0,
    type_json_skip_duplicated_paths = 1,
    max_dynamic_subcolumns_in_json_type_parsing = 0;
