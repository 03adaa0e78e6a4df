-- Views of tracking plans answer the same to every reader, and read the ranges that people write, as 0019 says.

-- What does not fit the tracking plan: see 0013.
DROP VIEW IF EXISTS plan_violations;
CREATE VIEW IF NOT EXISTS plan_violations AS
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
    judged AS
    (
        SELECT toString(event) AS event, plan_version, violations, identity, timestamp, request_id, 0 AS is_refused
        FROM events FINAL
        WHERE source_id = {source:String} AND timestamp >= since AND timestamp < until AND plan_version > 0
        UNION ALL
        SELECT '' AS event, plan_version, violations, identity, timestamp, request_id, 0 AS is_refused
        FROM identifies FINAL
        WHERE source_id = {source:String} AND timestamp >= since AND timestamp < until AND plan_version > 0
        UNION ALL
        SELECT
            toString(event) AS event, plan_version, violations,
            if(user_id = '', sipHash64('anonymous', anonymous_id), sipHash64('user', user_id)) AS identity,
            timestamp, request_id, 1 AS is_refused
        FROM refused_messages FINAL
        WHERE source_id = {source:String} AND timestamp >= since AND timestamp < until AND reason = 'plan'
    ),
    counted AS
    (
        SELECT
            event,
            violation,
            countIf(is_refused = 0) AS stored,
            countIf(is_refused = 1) AS refused,
            uniqExact(identity) AS people,
            min(timestamp) AS first_seen,
            max(timestamp) AS last_seen,
            argMax(request_id, timestamp) AS request_id,
            max(plan_version) AS plan_version
        FROM judged
        ARRAY JOIN arrayConcat([''], arrayMap(one -> toString(one), violations)) AS violation
        GROUP BY event, violation
    )
SELECT *
FROM
(
    SELECT
        event,
        splitByChar(':', violation, 2)[1] AS rule,
        splitByChar(':', violation, 2)[2] AS path,
        stored AS events,
        refused,
        people,
        (stored + refused) / max(stored + refused) OVER (PARTITION BY event) AS share,
        first_seen,
        last_seen,
        request_id,
        plan_version
    FROM counted
)
WHERE rule != ''
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0,
    do_not_merge_across_partitions_select_final = 1;

-- How much of what a source sends is planned: see 0013.
DROP VIEW IF EXISTS plan_coverage;
CREATE VIEW IF NOT EXISTS plan_coverage AS
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
    ) AS until
SELECT
    event,
    countIf(is_refused = 0) AS events,
    countIf(is_refused = 1) AS refused,
    countIf(is_refused = 0 AND plan_version > 0 AND NOT has(violations, 'unknown_event')) AS planned_events,
    countIf(is_refused = 0 AND notEmpty(violations)) AS violating_events,
    min(timestamp) AS first_seen,
    max(timestamp) AS last_seen
FROM
(
    SELECT toString(event) AS event, plan_version, violations, timestamp, 0 AS is_refused
    FROM events FINAL
    WHERE source_id = {source:String} AND timestamp >= since AND timestamp < until
    UNION ALL
    SELECT '' AS event, plan_version, violations, timestamp, 0 AS is_refused
    FROM identifies FINAL
    WHERE source_id = {source:String} AND timestamp >= since AND timestamp < until
    UNION ALL
    SELECT toString(event) AS event, plan_version, violations, timestamp, 1 AS is_refused
    FROM refused_messages FINAL
    WHERE source_id = {source:String} AND timestamp >= since AND timestamp < until AND reason = 'plan'
)
GROUP BY event
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0,
    do_not_merge_across_partitions_select_final = 1;
