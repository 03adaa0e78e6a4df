-- Views answer the same whatever the settings of their reader: docs/decisions/0092-views-for-every-reader.md. All are those
-- of 0006 but for that.

DROP VIEW IF EXISTS category_paths;
CREATE VIEW IF NOT EXISTS category_paths AS
WITH RECURSIVE climb AS
(
    SELECT
        source_id,
        category_id,
        name,
        level,
        is_leaf,
        [category_id] AS ids,
        [name] AS names,
        parent_category_id AS next_id
    FROM current_categories
    UNION ALL
    SELECT
        climb.source_id,
        climb.category_id,
        climb.name,
        climb.level,
        climb.is_leaf,
        arrayPushFront(climb.ids, parent.category_id),
        arrayPushFront(climb.names, parent.name),
        parent.parent_category_id
    FROM climb
    INNER JOIN current_categories AS parent
        ON parent.source_id = climb.source_id AND parent.category_id = climb.next_id
    WHERE climb.next_id != '' AND NOT has(climb.ids, parent.category_id) AND length(climb.ids) < 100
)
SELECT
    source_id,
    category_id,
    argMax(name, length(ids)) AS name,
    argMax(names, length(ids)) AS path,
    argMax(ids, length(ids)) AS path_ids,
    max(length(ids)) AS depth,
    any(level) AS level,
    any(is_leaf) AS is_leaf,
    argMax(multiIf(next_id = '', 'root', has(ids, next_id), 'circle', length(ids) >= 100, 'too deep', 'missing parent'), length(ids)) AS path_end
FROM climb
GROUP BY source_id, category_id
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL';

DROP VIEW IF EXISTS product_offers;
CREATE VIEW IF NOT EXISTS product_offers AS
SELECT
    offer.source_id AS source_id,
    offer.product_id AS product_id,
    offer.has_product::Bool AS has_product,
    offer.has_winner::Bool AS has_winner,
    (seller.seller_id != '')::Bool AS has_seller,
    offer.product.1 AS name,
    offer.product.2 AS brand,
    offer.product.3 AS category_id,
    offer.product.4 AS product_is_available,
    offer.winner.1 AS variant_id,
    if(has_winner, offer.winner.3, NULL) AS price,
    offer.winner.4 AS discounted_price,
    if(has_winner, offer.winner.5, NULL) AS stock,
    offer.winner.6 AS variant_is_available,
    offer.winner.2 AS seller_id,
    seller.first_name AS seller_first_name,
    seller.last_name AS seller_last_name,
    seller.is_active AS seller_is_active
FROM
(
    SELECT
        source_id,
        product_id,
        max(is_product) AS has_product,
        max(NOT is_product) AS has_winner,
        argMaxIf((name, brand, category_id, available), version, is_product) AS product,
        argMaxIf((variant_id, seller_id, price, discounted_price, stock, available), version, NOT is_product) AS winner
    FROM
    (
        SELECT
            source_id, product_id, true AS is_product, version, name, brand::String AS brand, category_id,
            '' AS variant_id, '' AS seller_id, 0::Decimal(38, 9) AS price, NULL::Nullable(Decimal(38, 9)) AS discounted_price,
            0::Decimal(38, 9) AS stock, is_available AS available
        FROM current_products
        UNION ALL
        SELECT
            source_id, product_id, false, version, '', '', '',
            variant_id, seller_id, price, discounted_price, stock, is_available
        FROM current_product_variants
        WHERE is_buy_box_winner
    )
    GROUP BY source_id, product_id
) AS offer
LEFT JOIN
(
    SELECT source_id, seller_id, first_name, last_name, is_active FROM current_sellers
) AS seller ON seller.source_id = offer.source_id AND seller.seller_id = offer.winner.2
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, any_join_distinct_right_table_keys = 0,
    join_default_strictness = 'ALL';

DROP VIEW IF EXISTS availability;
CREATE VIEW IF NOT EXISTS availability AS
SELECT
    source_id,
    product_id,
    max(is_product)::Bool AS has_product,
    argMaxIf(said_name, said_version, is_product) AS name,
    argMaxIf(said_category_id, said_version, is_product) AS category_id,
    (product_is_available AND available_variants > 0)::Bool AS is_purchasable,
    argMaxIf(said_available, said_version, is_product)::Bool AS product_is_available,
    argMaxIf(said_total_stock, said_version, is_product) AS total_stock,
    countIf(NOT is_product) AS variants,
    countIf(NOT is_product AND said_available) AS available_variants,
    sumIf(said_stock, NOT is_product AND said_available) AS available_stock,
    uniqExactIf(said_seller_id, NOT is_product AND said_available) AS available_sellers,
    minOrNullIf(said_price, NOT is_product AND said_available) AS lowest_price
FROM
(
    SELECT
        source_id, product_id, true AS is_product, version AS said_version, name AS said_name, category_id AS said_category_id,
        is_available AS said_available, total_stock AS said_total_stock, '' AS said_seller_id, 0::Decimal(38, 9) AS said_stock,
        0::Decimal(38, 9) AS said_price
    FROM current_products
    UNION ALL
    SELECT
        source_id, product_id, false, version, '', '',
        is_available, 0, seller_id, stock,
        ifNull(discounted_price, price)
    FROM current_product_variants
)
GROUP BY source_id, product_id
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0;
