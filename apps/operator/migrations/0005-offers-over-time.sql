-- Events on products, each with what the product page showed at its own time: docs/decisions/0116-offers-over-time.md.
-- events_with_offers(source = 'GhIjKl789012', catalog = 'AbCdEf123456', from = '2026-03-01', to = '2026-04-01')
--
-- The offer of a product is the state of the variant that wins the Buy Box; of several, that which was said last, as in
-- product_offers. `spans` are the times in which one state was the offer. They do not overlap: each ends when its state
-- ends or the next begins. When a later one ends first, the earlier one that still holds comes back: then the states are
-- gone through in order, with a stack of those that may come back. Times are microseconds since 1970, as in version.
CREATE VIEW IF NOT EXISTS events_with_offers AS
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
    toUInt64(toUnixTimestamp64Milli(since)) * 1000 AS read_from,
    toUInt64(toUnixTimestamp64Milli(until)) * 1000 AS read_to,
    toUInt64(18446744073709551615) AS never,
    winners AS
    (
        SELECT product_id, version AS began, ended, variant_id, seller_id, price, discounted_price, stock, is_available
        FROM
        (
            SELECT *, lead(version, 1, never) OVER (PARTITION BY variant_id ORDER BY version) AS ended
            FROM variant_states FINAL
            WHERE source_id = {catalog:String}
        )
        WHERE is_buy_box_winner AND NOT is_deleted AND ended > read_from AND began < read_to
    ),
    -- A span is its beginning, its end and the place of its state.
    spans AS
    (
        SELECT
            product_id,
            arraySort(state -> (state.1, state.2), groupArray((began, variant_id, ended, seller_id, price, discounted_price, stock, is_available))) AS states,
            arrayPushBack(arrayPopFront(states.1), never) AS next_began,
            arrayPushBack(arrayPopFront(states.3), never) AS next_ended,
            arrayEnumerate(states) AS places,
            if(
                arrayExists((ended, next, next_end) -> next < ended AND next_end < ended, states.3, next_began, next_ended),
                arrayFold(
                    (done, began, ended, place) ->
                    (
                        arrayPushBack(arrayFilter(open -> open.1 > began AND open.1 > ended, done.1), (ended, place)),
                        began,
                        arrayConcat(done.3, arrayMap(
                            (closed, since_then) -> (since_then, closed.1, closed.2),
                            arrayConcat(arrayReverse(arrayFilter(open -> open.1 <= began, done.1)), arrayMap(open -> (began, open.2), arraySlice(arrayFilter(open -> open.1 > began, done.1), -1))),
                            arrayPopBack(arrayPushFront(arrayMap(open -> least(open.1, began), arrayConcat(arrayReverse(arrayFilter(open -> open.1 <= began, done.1)), arraySlice(arrayFilter(open -> open.1 > began, done.1), -1))), done.2))
                        ))
                    ),
                    arrayPushBack(states.1, never),
                    arrayPushBack(states.3, never),
                    arrayPushBack(places, toUInt32(0)),
                    ([]::Array(Tuple(UInt64, UInt32)), toUInt64(0), []::Array(Tuple(UInt64, UInt64, UInt32)))
                ).3,
                arrayMap((began, ended, next, place) -> (began, least(ended, next), place), states.1, states.3, next_began, places)
            ) AS all_spans
        FROM winners
        GROUP BY product_id
    ),
    offers AS
    (
        SELECT product_id, span.1 AS began, span.2 AS ended, states[span.3] AS state
        FROM spans
        ARRAY JOIN arrayFilter(span -> span.1 < span.2, all_spans) AS span
    )
SELECT
    {source:String} AS source_id,
    seen.product_id AS product_id,
    seen.event AS event,
    seen.timestamp AS timestamp,
    seen.user_id AS user_id,
    seen.anonymous_id AS anonymous_id,
    seen.identity AS identity,
    seen.message_id AS message_id,
    seen.received_at AS received_at,
    if(seen.quantity = 0, 1, seen.quantity) AS quantity,
    (seen.moment < offer.ended)::Bool AS has_offer,
    if(has_offer, offer.state.2, '') AS variant_id,
    if(has_offer, offer.state.4, '') AS seller_id,
    if(has_offer, offer.state.5, NULL) AS price,
    if(has_offer, offer.state.6, NULL) AS discounted_price,
    if(has_offer, offer.state.7, NULL) AS stock,
    (has_offer AND offer.state.8)::Bool AS is_available
FROM
(
    SELECT
        arrayJoin(product_ids) AS product_id, event, timestamp, user_id, anonymous_id, identity, message_id, received_at,
        toUInt64(toUnixTimestamp64Milli(timestamp)) * 1000 AS moment,
        if(coalesce(properties.product_id.:String, properties.productId.:String, toString(properties.product_id.:Int64), toString(properties.productId.:Int64), '') = product_id, ifNull(properties.quantity.:Int64, 1), 0)
            + arraySum(arrayMap((text, other_text, number, other_number, pieces) -> if(coalesce(text, other_text, toString(number), toString(other_number), '') = product_id, ifNull(pieces, 1), 0), properties.products[].product_id.:String, properties.products[].productId.:String, properties.products[].product_id.:Int64, properties.products[].productId.:Int64, properties.products[].quantity.:Int64))
            + arraySum(arrayMap((text, other_text, number, other_number, pieces) -> if(coalesce(text, other_text, toString(number), toString(other_number), '') = product_id, ifNull(pieces, 1), 0), properties.items[].product_id.:String, properties.items[].productId.:String, properties.items[].product_id.:Int64, properties.items[].productId.:Int64, properties.items[].quantity.:Int64)) AS quantity
    FROM events FINAL
    WHERE source_id = {source:String} AND timestamp >= since AND timestamp < until
) AS seen
ASOF LEFT JOIN offers AS offer ON offer.product_id = seen.product_id AND offer.began <= seen.moment
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL', do_not_merge_across_partitions_select_final = 1, short_circuit_function_evaluation = 'enable', join_algorithm = 'hash';
