-- Views answer the same whatever the settings of their reader: docs/decisions/0092-views-for-every-reader.md.

-- Notifications by what happened to them on each day: see 0001.
DROP VIEW IF EXISTS push_campaign_stats;
CREATE VIEW IF NOT EXISTS push_campaign_stats AS
SELECT
    source_id,
    campaign_id,
    variation_id,
    channel,
    provider,
    arrayJoin(arrayFilter(one -> one != toDate(0), arrayDistinct([reached_on, delivered_on, clicked_on, closed_on, failed_on, opened_on]))) AS day,
    countIf(day = reached_on) AS reached,
    countIf(day = delivered_on) AS delivered,
    countIf(day = clicked_on) AS clicked,
    countIf(day = closed_on) AS closed,
    countIf(day = failed_on) AS failed,
    countIf(day = opened_on) AS opened,
    reached / nullIf(reached + failed, 0) AS delivery_rate,
    clicked / nullIf(reached, 0) AS click_rate,
    closed / nullIf(reached, 0) AS close_rate,
    failed / nullIf(reached + failed, 0) AS failure_rate,
    opened / nullIf(reached, 0) AS open_rate
FROM
(
    -- Merged here, and so read without FINAL: of several rows of one interaction the first moment counts.
    SELECT
        source_id,
        campaign_id,
        notification_id,
        max(variation_id) AS variation_id,
        max(channel) AS channel,
        max(provider) AS provider,
        toDate(minIf(occurred_at, interaction != 'failed')) AS reached_on,
        toDate(minIf(occurred_at, interaction = 'delivered')) AS delivered_on,
        toDate(minIf(occurred_at, interaction = 'clicked')) AS clicked_on,
        toDate(minIf(occurred_at, interaction = 'closed')) AS closed_on,
        toDate(minIf(occurred_at, interaction = 'failed')) AS failed_on,
        toDate(minIf(occurred_at, interaction = 'opened')) AS opened_on
    FROM push_interactions
    GROUP BY source_id, campaign_id, notification_id
)
GROUP BY source_id, campaign_id, variation_id, channel, provider, day
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, optimize_aggregation_in_order = 1;

-- One row per device: see 0002. Of copies of one message always the same is shown.
DROP VIEW IF EXISTS current_push_devices;
CREATE VIEW IF NOT EXISTS current_push_devices AS
SELECT
    source_id,
    device_id,
    latest.1 AS key,
    latest.2 AS sdk,
    latest.3 AS package_name,
    latest.4 AS user_id,
    latest.5 AS anonymous_id,
    latest.6 AS registered_at,
    latest.7 AS request_id,
    latest.8 AS received_at,
    latest.9 AS stored_at,
    latest.10 AS kafka_partition,
    latest.11 AS kafka_offset,
    latest.12 AS kafka_timestamp
FROM
(
    -- Grouped, and not the first of a sorted list: so a condition on source_id or device_id reaches the table.
    SELECT
        source_id,
        device_id,
        argMax(
            (key, sdk, package_name, user_id, anonymous_id, registered_at, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp),
            (registered_at, kafka_offset, stored_at)) AS latest
    FROM push_devices
    GROUP BY source_id, device_id
)
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0;
