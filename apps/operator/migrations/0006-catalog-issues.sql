-- What is wrong with a catalog, the worst first when it is ordered by events: docs/tables.md#catalog_issues.
-- catalog_issues(source = 'GhIjKl789012', catalog = 'AbCdEf123456', days = '30')
--
-- An issue is as old as the last message that could have made it: that of the entity, or the deletion of what it names.
CREATE VIEW IF NOT EXISTS catalog_issues AS
WITH
    toUInt32({days:String}) AS untouched_days,
    now64(3, 'UTC') AS present,
    variants AS (SELECT variant_id, product_id, seller_id, price, discounted_price, stock, is_available, is_buy_box_winner, version FROM current_product_variants WHERE source_id = {catalog:String}),
    categories_of_source AS (SELECT category_id, parent_category_id, level, is_leaf, version FROM current_categories WHERE source_id = {catalog:String}),
    all_products AS (SELECT product_id, category_id, is_available, is_deleted, version FROM products FINAL WHERE source_id = {catalog:String}),
    all_sellers AS (SELECT seller_id, is_deleted, version FROM sellers FINAL WHERE source_id = {catalog:String}),
    all_categories AS (SELECT category_id, is_deleted, level, version FROM categories FINAL WHERE source_id = {catalog:String}),
    issues AS
    (
        SELECT 'product_variant' AS entity, variant.variant_id AS entity_id, 'missing_product' AS issue, variant.product_id AS names, variant.product_id AS product_id, greatest(variant.version, product.version) AS version
        FROM variants AS variant LEFT ANY JOIN all_products AS product ON product.product_id = variant.product_id
        WHERE product.product_id = '' OR product.is_deleted
        UNION ALL
        SELECT 'product_variant', variant.variant_id, 'missing_seller', variant.seller_id, variant.product_id, greatest(variant.version, seller.version)
        FROM variants AS variant LEFT ANY JOIN all_sellers AS seller ON seller.seller_id = variant.seller_id
        WHERE seller.seller_id = '' OR seller.is_deleted
        UNION ALL
        SELECT 'product_variant', variant_id, arrayJoin(arrayFilter(issue -> issue != '', [
            if(price = 0, 'price_of_zero', ''),
            if(discounted_price >= price, 'discount_not_below_price', ''),
            if(is_available AND stock <= 0, 'available_without_stock', ''),
            if(version < toUInt64(toUnixTimestamp64Micro(toDateTime64(present, 6, 'UTC') - toIntervalDay(untouched_days))), 'untouched', '')])), '', product_id, version
        FROM variants
        UNION ALL
        SELECT 'product', product.product_id, 'missing_category', product.category_id, product.product_id, greatest(product.version, category.version)
        FROM all_products AS product LEFT ANY JOIN all_categories AS category ON category.category_id = product.category_id
        WHERE NOT product.is_deleted AND (category.category_id = '' OR category.is_deleted)
        UNION ALL
        SELECT 'product', product_id, 'untouched', '', product_id, version
        FROM all_products
        WHERE NOT is_deleted AND version < toUInt64(toUnixTimestamp64Micro(toDateTime64(present, 6, 'UTC') - toIntervalDay(untouched_days)))
        UNION ALL
        SELECT 'product', product.product_id, multiIf(offer.winners = 0, 'no_buy_box_winner', 'several_buy_box_winners'), '', product.product_id, offer.version
        FROM (SELECT product_id FROM all_products WHERE NOT is_deleted) AS product
        INNER JOIN (SELECT product_id, countIf(is_buy_box_winner) AS winners, max(version) AS version FROM variants GROUP BY product_id) AS offer ON offer.product_id = product.product_id
        WHERE offer.winners != 1
        UNION ALL
        SELECT 'category', category.category_id, 'missing_parent', category.parent_category_id, '', greatest(category.version, parent.version)
        FROM categories_of_source AS category LEFT ANY JOIN all_categories AS parent ON parent.category_id = category.parent_category_id
        WHERE category.parent_category_id != '' AND (parent.category_id = '' OR parent.is_deleted)
        UNION ALL
        SELECT 'category', category.category_id, 'circle_of_parents', category.parent_category_id, '', category.version
        FROM categories_of_source AS category LEFT ANY JOIN category_paths AS path ON path.category_id = category.category_id AND path.source_id = {catalog:String}
        WHERE path.path_end = 'circle'
        UNION ALL
        SELECT 'category', category.category_id, 'level_not_below_parent', category.parent_category_id, '', greatest(category.version, parent.version)
        FROM categories_of_source AS category INNER JOIN all_categories AS parent ON parent.category_id = category.parent_category_id
        WHERE NOT parent.is_deleted AND category.level != parent.level + 1
        UNION ALL
        SELECT 'category', category.category_id, 'leaf_with_children', '', '', greatest(category.version, children.version)
        FROM categories_of_source AS category
        INNER JOIN (SELECT parent_category_id, max(version) AS version FROM categories_of_source GROUP BY parent_category_id) AS children ON children.parent_category_id = category.category_id
        WHERE category.is_leaf
    )
SELECT
    {catalog:String} AS source_id,
    problem.entity::LowCardinality(String) AS entity,
    problem.entity_id AS entity_id,
    problem.issue::LowCardinality(String) AS issue,
    problem.names AS names,
    problem.product_id AS product_id,
    fromUnixTimestamp64Micro(toInt64(problem.version), 'UTC') AS since,
    touched.events AS events
FROM issues AS problem
LEFT ANY JOIN
(
    SELECT thing.1 AS kind, thing.2 AS id, sum(events) AS events
    FROM
    (
        SELECT arrayJoin([('product', seen.product_id), ('category', product.category_id)]) AS thing, seen.events AS events
        FROM
        (
            SELECT arrayJoin(product_ids) AS product_id, count() AS events
            FROM events FINAL
            WHERE source_id = {source:String} AND timestamp >= present - INTERVAL 7 DAY AND timestamp < present
            GROUP BY product_id
        ) AS seen
        LEFT ANY JOIN all_products AS product ON product.product_id = seen.product_id
    )
    GROUP BY thing
) AS touched ON touched.kind = if(problem.entity = 'category', 'category', 'product') AND touched.id = if(problem.entity = 'category', problem.entity_id, problem.product_id)
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL', do_not_merge_across_partitions_select_final = 1, join_algorithm = 'hash';
