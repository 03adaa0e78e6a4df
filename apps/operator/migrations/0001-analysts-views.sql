-- Everything a person did and was told, newest first: user_timeline(source = 'AbCdEf123456', person = 'u-1'). `person` is a
-- user id or, where no user has that id, an anonymous id; one that is linked to a user stands for that user. Events of the
-- bb_notification_ family are left out where an interaction tells the same: reported by an event, within ten minutes.
-- An event whose token did not open has none, and is shown.
CREATE VIEW IF NOT EXISTS user_timeline AS
WITH
    -- Of identity_links, what concerns one person: asked there, the ids of all people would be put together first. Names
    -- of these subqueries are few, and in few places: each is planned anew wherever its name stands, but run once.
    (
        SELECT min((least(timestamp, received_at), user_id)).2
        FROM identifies
        WHERE source_id = {source:String} AND anonymous_id = {person:String} AND user_id != ''
    ) AS first_user,
    -- Asked only where it matters: else the condition is false before anything is read.
    (
        SELECT count() > 0
        FROM
        (
            SELECT identity FROM identifies
            WHERE source_id = {source:String} AND identity = sipHash64('user', {person:String}) AND first_user NOT IN ('', {person:String})
            UNION ALL
            SELECT identity FROM events
            WHERE source_id = {source:String} AND identity = sipHash64('user', {person:String}) AND first_user NOT IN ('', {person:String})
        )
    ) AS is_user,
    (
        SELECT
            if(is_user OR first_user = '', {person:String}, first_user) AS person_id,
            -- What is linked to them; and the id as an anonymous one, unless it is somebody else's.
            arrayConcat(groupArrayIf(anonymous_id, linked_user = person_id), if(first_user IN ('', {person:String}), [{person:String}], [])) AS anonymous_ids,
            arrayPushFront(arrayMap(id -> sipHash64('anonymous', id), anonymous_ids), sipHash64('user', person_id)) AS identities
        FROM
        (
            SELECT anonymous_id, min((least(timestamp, received_at), user_id)).2 AS linked_user
            FROM identifies
            WHERE source_id = {source:String} AND user_id != '' AND anonymous_id IN (
                SELECT anonymous_id
                FROM identifies
                WHERE source_id = {source:String} AND identity IN (sipHash64('user', {person:String}), sipHash64('user', first_user)) AND anonymous_id != ''
            )
            GROUP BY anonymous_id
        )
    ) AS found
SELECT source_id, found.1 AS person_id, timestamp, kind, name, details, user_id, anonymous_id
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
        WHERE source_id = {source:String} AND identity IN found.3
        LIMIT 1 BY message_id
        UNION ALL
        SELECT source_id, timestamp, 'identify', '', traits, user_id, anonymous_id, toString(message_id), false
        FROM identifies
        WHERE source_id = {source:String} AND identity IN found.3
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
            WHERE source_id = {source:String} AND hasAny(people, found.3)
        )
    )
)
WHERE NOT (kind = 'event' AND startsWith(name, 'bb_notification_')
    AND arrayExists(one -> one.1 = name AND abs(dateDiff('second', one.2, timestamp)) <= 600, told))
ORDER BY timestamp DESC, kind, name, place
-- Whatever the reader's settings: text that looks like a date stays text.
SETTINGS input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0;

-- Events on products, beside what the catalog says of each now. The products are those that the property product_id or
-- productId names, of the event itself and of each object in its arrays products and items; it counts once for each. Events
-- and catalog may have sources of their own:
-- product_performance(source = 'GhIjKl789012', catalog = 'AbCdEf123456', from = '2026-03-01', to = '2026-04-01')
CREATE VIEW IF NOT EXISTS product_performance AS
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
    WHERE source_id = {source:String} AND timestamp >= {from:DateTime64(3, 'UTC')} AND timestamp < {to:DateTime64(3, 'UTC')}
    GROUP BY product_id, event
) AS seen
LEFT JOIN
(
    SELECT product_id, name, brand, category_id, is_available FROM current_products WHERE source_id = {catalog:String}
) AS product ON product.product_id = seen.product_id
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;

-- How far each table is, by source: its newest row, and how long the rows stored in the last hour took from the gateway
-- into the table. A source that stored nothing in the last hour has NULL there.
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
SETTINGS join_use_nulls = 0;
