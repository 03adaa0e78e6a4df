-- Views answer the same whatever the settings of their reader, and read the ranges that people write:
-- docs/decisions/0092-views-for-every-reader.md. All are those of 0001 to 0003 but for that; ranges: tracking/0019.

-- Everything a person did and was told, newest first: see 0003.
DROP VIEW IF EXISTS user_timeline;
CREATE VIEW IF NOT EXISTS user_timeline AS
WITH
    -- Of identity_links, what concerns one person: asked there, the ids of all people would be put together first. A name
    -- of such a subquery is planned anew wherever it stands, but run once: each stands in one place but for the last.
    (
        SELECT count() > 0
        FROM
        (
            (SELECT 1 FROM identifies WHERE source_id = {source:String} AND identity = sipHash64('user', {person:String}) LIMIT 1)
            UNION ALL
            (SELECT 1 FROM events WHERE source_id = {source:String} AND identity = sipHash64('user', {person:String}) LIMIT 1)
            UNION ALL
            (SELECT 1 FROM push_interactions WHERE source_id = {source:String} AND has(people, sipHash64('user', {person:String})) LIMIT 1)
        )
    ) AS has_user,
    (
        SELECT
            if(is_user OR first_user = '', {person:String}, first_user) AS person_id,
            -- What is linked to them; or the id as an anonymous one, if it is neither a user nor linked to one.
            if(is_user OR first_user != '', arrayMap(link -> link.1, arrayFilter(link -> link.2 = person_id, links)), [{person:String}]) AS anonymous_ids,
            arrayPushFront(arrayMap(id -> sipHash64('anonymous', id), anonymous_ids), sipHash64('user', person_id)) AS identities
        FROM
        (
            SELECT has_user AS is_user, groupArray((anonymous_id, linked_user)) AS links, anyIf(linked_user, anonymous_id = {person:String}) AS first_user
            FROM
            (
                SELECT anonymous_id, min((said_at, user_id)).2 AS linked_user
                FROM identity_claims
                WHERE source_id = {source:String} AND anonymous_id IN (
                    SELECT anonymous_id
                    FROM identifies
                    WHERE source_id = {source:String} AND anonymous_id != '' AND identity IN (
                        -- The user of that id, and the user whom it is linked to as an anonymous one.
                        SELECT arrayJoin(users)
                        FROM
                        (
                            SELECT [sipHash64('user', {person:String}), sipHash64('user', min((said_at, user_id)).2)] AS users
                            FROM identity_claims
                            WHERE source_id = {source:String} AND anonymous_id = {person:String}
                        )
                    )
                )
                GROUP BY anonymous_id
            )
        )
    ) AS asked
SELECT source_id, asked.1 AS person_id, timestamp, kind, name, details, user_id, anonymous_id
FROM
(
    SELECT *, groupArrayIf((concat('bb_notification_', name), timestamp), is_told_by_event) OVER () AS told
    FROM
    (
        SELECT
            source_id,
            timestamp,
            'event' AS kind,
            event::String AS name,
            properties AS details,
            user_id,
            anonymous_id,
            toString(message_id) AS place,
            false AS is_told_by_event
        FROM events
        WHERE source_id = {source:String} AND identity IN asked.3
        LIMIT 1 BY message_id
        UNION ALL
        SELECT source_id, timestamp, 'identify', '', traits, user_id, anonymous_id, toString(message_id), false
        FROM identifies
        WHERE source_id = {source:String} AND identity IN asked.3
        LIMIT 1 BY message_id
        UNION ALL
        SELECT
            source_id,
            occurred_at,
            'push',
            interaction::String,
            toJSONString(mapFilter((key, value) -> value != '', map(
                'campaign_id', campaign_id::String, 'variation_id', variation_id, 'notification_id', notification_id, 'channel', channel,
                'url', url, 'action_id', action_id, 'reason', reason)))::JSON(max_dynamic_paths = 256),
            user_id,
            anonymous_id,
            concat(notification_id, interaction),
            has(reported_by, 'event')
        FROM current_push_interactions
        WHERE source_id = {source:String} AND (campaign_id, notification_id) IN (
            SELECT campaign_id, notification_id
            FROM push_interactions
            WHERE source_id = {source:String} AND hasAny(people, asked.3)
        )
    )
)
WHERE NOT (kind = 'event' AND startsWith(name, 'bb_notification_')
    AND arrayExists(report -> report.1 = name AND abs(dateDiff('second', report.2, timestamp)) <= 600, told))
ORDER BY timestamp DESC, kind, name, place
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, input_format_try_infer_dates = 0,
    input_format_try_infer_datetimes = 0, input_format_try_infer_integers = 1, input_format_try_infer_variants = 0,
    input_format_json_infer_array_of_dynamic_from_array_of_different_types = 1,
    input_format_json_infer_incomplete_types_as_strings = 1, input_format_json_read_bools_as_strings = 0,
    input_format_json_read_bools_as_numbers = 0, input_format_json_read_numbers_as_strings = 0,
    input_format_json_try_infer_numbers_from_strings = 0, input_format_json_max_depth = 1000,
    input_format_json_throw_on_bad_escape_sequence = 1, json_type_escape_dots_in_keys = 0,
    schema_inference_make_columns_nullable = 3, schema_inference_make_json_columns_nullable = 0,
    type_json_skip_duplicated_paths = 1, type_json_allow_duplicated_key_with_literal_and_nested_object = 1;

-- Events on products, beside what the catalog says of each now: see 0001.
DROP VIEW IF EXISTS product_performance;
CREATE VIEW IF NOT EXISTS product_performance AS
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
    {source:String} AS source_id,
    seen.product_id AS product_id,
    seen.event AS event,
    seen.events AS events,
    seen.people AS people,
    (product.product_id != '')::Bool AS has_product,
    product.name AS name,
    product.brand AS brand,
    product.category_id AS category_id,
    product.is_available AS is_available
FROM
(
    SELECT
        arrayJoin(product_ids) AS product_id,
        event,
        count() AS events,
        uniqExact(identity) AS people
    FROM events FINAL
    WHERE source_id = {source:String} AND timestamp >= since AND timestamp < until
    GROUP BY product_id, event
) AS seen
LEFT JOIN
(
    SELECT product_id, name, brand, category_id, is_available FROM current_products WHERE source_id = {catalog:String}
) AS product ON product.product_id = seen.product_id
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL', do_not_merge_across_partitions_select_final = 1;

-- How far each table is, by source: see 0001.
DROP VIEW IF EXISTS freshness;
CREATE VIEW IF NOT EXISTS freshness AS
SELECT
    table_name,
    source_id,
    newest_received,
    newest_stored,
    rows_last_hour,
    if(rows_last_hour = 0, NULL, delays[1]) AS delay_p50,
    if(rows_last_hour = 0, NULL, delays[2]) AS delay_p90,
    if(rows_last_hour = 0, NULL, delays[3]) AS delay_p99
FROM
(
    SELECT 'events' AS table_name, newest.source_id AS source_id, newest.newest_received AS newest_received, newest.newest_stored AS newest_stored, hour.rows AS rows_last_hour, hour.delays AS delays
    FROM
    (
        SELECT source_id, max(received_at) AS newest_received, max(stored_at) AS newest_stored FROM events GROUP BY source_id
    ) AS newest
    LEFT JOIN
    (
        SELECT source_id, count() AS rows, quantilesExact(0.5, 0.9, 0.99)(dateDiff('millisecond', received, stored) / 1000) AS delays
        FROM
        (
            SELECT source_id, min(received_at) AS received, min(stored_at) AS stored
            FROM events
            WHERE stored_at >= now() - INTERVAL 1 HOUR
            GROUP BY source_id, message_id
        )
        GROUP BY source_id
    ) AS hour ON hour.source_id = newest.source_id
    UNION ALL
    SELECT 'identifies', newest.source_id, newest.newest_received, newest.newest_stored, hour.rows, hour.delays
    FROM
    (
        SELECT source_id, max(received_at) AS newest_received, max(stored_at) AS newest_stored FROM identifies GROUP BY source_id
    ) AS newest
    LEFT JOIN
    (
        SELECT source_id, count() AS rows, quantilesExact(0.5, 0.9, 0.99)(dateDiff('millisecond', received, stored) / 1000) AS delays
        FROM
        (
            SELECT source_id, min(received_at) AS received, min(stored_at) AS stored
            FROM identifies
            WHERE stored_at >= now() - INTERVAL 1 HOUR
            GROUP BY source_id, message_id
        )
        GROUP BY source_id
    ) AS hour ON hour.source_id = newest.source_id
    UNION ALL
    SELECT 'ad_requests', newest.source_id, newest.newest_received, newest.newest_stored, hour.rows, hour.delays
    FROM
    (
        SELECT source_id, max(received_at) AS newest_received, max(stored_at) AS newest_stored FROM ad_requests GROUP BY source_id
    ) AS newest
    LEFT JOIN
    (
        SELECT source_id, count() AS rows, quantilesExact(0.5, 0.9, 0.99)(dateDiff('millisecond', received, stored) / 1000) AS delays
        FROM
        (
            SELECT source_id, min(received_at) AS received, min(stored_at) AS stored
            FROM ad_requests
            WHERE stored_at >= now() - INTERVAL 1 HOUR
            GROUP BY source_id, message_id
        )
        GROUP BY source_id
    ) AS hour ON hour.source_id = newest.source_id
    UNION ALL
    SELECT 'push_interactions', newest.source_id, newest.newest_received, newest.newest_stored, hour.rows, hour.delays
    FROM
    (
        SELECT source_id, max(last_received_at) AS newest_received, max(last_stored_at) AS newest_stored FROM push_interactions GROUP BY source_id
    ) AS newest
    LEFT JOIN
    (
        SELECT source_id, count() AS rows, quantilesExact(0.5, 0.9, 0.99)(dateDiff('millisecond', received_at, stored_at) / 1000) AS delays
        FROM push_interactions FINAL
        WHERE stored_at >= now() - INTERVAL 1 HOUR
        GROUP BY source_id
    ) AS hour ON hour.source_id = newest.source_id
    UNION ALL
    SELECT
        'push_devices' AS table_name,
        source_id,
        max(received_at) AS newest_received,
        max(stored_at) AS newest_stored,
        countIf(stored_at >= now() - INTERVAL 1 HOUR) AS rows_last_hour,
        quantilesExactIf(0.5, 0.9, 0.99)(dateDiff('millisecond', received_at, stored_at) / 1000, stored_at >= now() - INTERVAL 1 HOUR) AS delays
    FROM push_devices FINAL
    GROUP BY source_id
    UNION ALL
    SELECT
        'sellers' AS table_name,
        source_id,
        max(received_at) AS newest_received,
        max(stored_at) AS newest_stored,
        countIf(stored_at >= now() - INTERVAL 1 HOUR) AS rows_last_hour,
        quantilesExactIf(0.5, 0.9, 0.99)(dateDiff('millisecond', received_at, stored_at) / 1000, stored_at >= now() - INTERVAL 1 HOUR) AS delays
    FROM sellers FINAL
    GROUP BY source_id
    UNION ALL
    SELECT
        'products' AS table_name,
        source_id,
        max(received_at) AS newest_received,
        max(stored_at) AS newest_stored,
        countIf(stored_at >= now() - INTERVAL 1 HOUR) AS rows_last_hour,
        quantilesExactIf(0.5, 0.9, 0.99)(dateDiff('millisecond', received_at, stored_at) / 1000, stored_at >= now() - INTERVAL 1 HOUR) AS delays
    FROM products FINAL
    GROUP BY source_id
    UNION ALL
    SELECT
        'product_variants' AS table_name,
        source_id,
        max(received_at) AS newest_received,
        max(stored_at) AS newest_stored,
        countIf(stored_at >= now() - INTERVAL 1 HOUR) AS rows_last_hour,
        quantilesExactIf(0.5, 0.9, 0.99)(dateDiff('millisecond', received_at, stored_at) / 1000, stored_at >= now() - INTERVAL 1 HOUR) AS delays
    FROM product_variants FINAL
    GROUP BY source_id
    UNION ALL
    SELECT
        'categories' AS table_name,
        source_id,
        max(received_at) AS newest_received,
        max(stored_at) AS newest_stored,
        countIf(stored_at >= now() - INTERVAL 1 HOUR) AS rows_last_hour,
        quantilesExactIf(0.5, 0.9, 0.99)(dateDiff('millisecond', received_at, stored_at) / 1000, stored_at >= now() - INTERVAL 1 HOUR) AS delays
    FROM categories FINAL
    GROUP BY source_id
    UNION ALL
    SELECT
        'general_entities' AS table_name,
        source_id,
        max(received_at) AS newest_received,
        max(stored_at) AS newest_stored,
        countIf(stored_at >= now() - INTERVAL 1 HOUR) AS rows_last_hour,
        quantilesExactIf(0.5, 0.9, 0.99)(dateDiff('millisecond', received_at, stored_at) / 1000, stored_at >= now() - INTERVAL 1 HOUR) AS delays
    FROM general_entities FINAL
    GROUP BY source_id
)
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL';

-- What arrived of each stream of an SDK: see 0002.
DROP VIEW IF EXISTS sdk_streams;
CREATE VIEW IF NOT EXISTS sdk_streams AS
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
    {source:String} AS source_id,
    device,
    stream,
    argMax(name, seq) AS sdk_name,
    argMax(version, seq) AS sdk_version,
    min(received_at) AS first_received,
    max(received_at) AS last_received,
    min(seq) AS first_seq,
    max(seq) AS last_seq,
    uniqExact(seq) AS messages,
    toUInt64(max(seq) + 1 - uniqExact(seq)) AS gaps,
    toUInt64(uniqExact(message_id) - uniqExact(seq)) AS doubled,
    max(lost) AS lost
FROM
(
    SELECT
        message_id,
        received_at,
        assumeNotNull(context.sdk.device.:String) AS device,
        assumeNotNull(context.sdk.stream.:String) AS stream,
        assumeNotNull(context.sdk.seq.:Int64) AS seq,
        ifNull(context.sdk.lost.:Int64, 0) AS lost,
        ifNull(context.sdk.name.:String, '') AS name,
        ifNull(context.sdk.version.:String, '') AS version
    FROM events
    WHERE source_id = {source:String} AND received_at >= greatest(since - INTERVAL 7 DAY, toDateTime64('1970-01-01', 3, 'UTC'))
        AND context.sdk.device.:String IS NOT NULL AND context.sdk.stream.:String IS NOT NULL AND context.sdk.seq.:Int64 >= 0
    UNION ALL
    SELECT
        message_id,
        received_at,
        assumeNotNull(context.sdk.device.:String),
        assumeNotNull(context.sdk.stream.:String),
        assumeNotNull(context.sdk.seq.:Int64),
        ifNull(context.sdk.lost.:Int64, 0),
        ifNull(context.sdk.name.:String, ''),
        ifNull(context.sdk.version.:String, '')
    FROM identifies
    WHERE source_id = {source:String} AND received_at >= greatest(since - INTERVAL 7 DAY, toDateTime64('1970-01-01', 3, 'UTC'))
        AND context.sdk.device.:String IS NOT NULL AND context.sdk.stream.:String IS NOT NULL AND context.sdk.seq.:Int64 >= 0
)
GROUP BY device, stream
HAVING first_received >= since AND first_received < until
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0;
