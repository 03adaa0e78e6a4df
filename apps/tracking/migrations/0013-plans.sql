-- What the tracking plan of its source says of a message: docs/decisions/0070-plans-at-the-edge.md.
ALTER TABLE events ADD COLUMN IF NOT EXISTS plan_version UInt32
    COMMENT 'Version of the tracking plan that judged the message, 0 if none did' CODEC(ZSTD(1));
ALTER TABLE events ADD COLUMN IF NOT EXISTS violations Array(LowCardinality(String))
    COMMENT 'Rule and path of each violation of the plan, such as wrong_type:total; at most 8, then more' CODEC(ZSTD(1));
ALTER TABLE identifies ADD COLUMN IF NOT EXISTS plan_version UInt32 COMMENT 'As in events' CODEC(ZSTD(1));
ALTER TABLE identifies ADD COLUMN IF NOT EXISTS violations Array(LowCardinality(String)) COMMENT 'As in events' CODEC(ZSTD(1));

-- Which events break the plan, and where: plan_violations(source = 'AbCdEf123456', from = '2026-03-01', to = '2026-04-01').
-- The empty violation of each message, which is not shown, counts the messages that were judged: `share` needs it.
CREATE VIEW IF NOT EXISTS plan_violations AS
WITH
    {from:DateTime64(3, 'UTC')} AS since,
    {to:DateTime64(3, 'UTC')} AS until,
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
SETTINGS do_not_merge_across_partitions_select_final = 1;

-- How much of what a source sends is planned: plan_coverage(source = 'AbCdEf123456', from = '2026-03-01', to = '2026-04-01').
CREATE VIEW IF NOT EXISTS plan_coverage AS
WITH
    {from:DateTime64(3, 'UTC')} AS since,
    {to:DateTime64(3, 'UTC')} AS until
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
SETTINGS do_not_merge_across_partitions_select_final = 1;
