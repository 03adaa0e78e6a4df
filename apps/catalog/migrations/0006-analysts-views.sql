-- The category tree: each category with the names and ids from its root down to itself. A parent that is missing or a
-- circle of parents ends the path, and `path_end` says so: no category is left out, and no circle runs for ever.
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
GROUP BY source_id, category_id;

-- Products with the variant that won the Buy Box and its seller. Of several winners the one that was said last; a product
-- without winner, a winner without product and one without seller are there, and the has_ columns say so.
CREATE VIEW IF NOT EXISTS product_offers AS
SELECT
    if(product.product_id != '', product.source_id, offer.source_id) AS source_id,
    if(product.product_id != '', product.product_id, offer.product_id) AS product_id,
    (product.product_id != '')::Bool AS has_product,
    (offer.variant_id != '')::Bool AS has_winner,
    (seller.seller_id != '')::Bool AS has_seller,
    product.name AS name,
    product.brand AS brand,
    product.category_id AS category_id,
    product.is_available AS product_is_available,
    offer.variant_id AS variant_id,
    if(offer.variant_id != '', offer.price, NULL) AS price,
    offer.discounted_price AS discounted_price,
    if(offer.variant_id != '', offer.stock, NULL) AS stock,
    offer.is_available AS variant_is_available,
    offer.seller_id AS seller_id,
    seller.first_name AS seller_first_name,
    seller.last_name AS seller_last_name,
    seller.is_active AS seller_is_active
FROM
(
    SELECT source_id, product_id, name, brand, category_id, is_available FROM current_products
) AS product
FULL JOIN
(
    SELECT source_id, product_id, variant_id, seller_id, price, discounted_price, stock, is_available
    FROM current_product_variants
    WHERE is_buy_box_winner
    ORDER BY version DESC
    LIMIT 1 BY source_id, product_id
) AS offer ON offer.source_id = product.source_id AND offer.product_id = product.product_id
LEFT JOIN
(
    SELECT source_id, seller_id, first_name, last_name, is_active FROM current_sellers
) AS seller ON seller.source_id = offer.source_id AND seller.seller_id = offer.seller_id
SETTINGS join_use_nulls = 0;

-- What can be bought: each product with what its variants say. A variant whose product is missing makes a row of its own
-- product id, with has_product = false.
CREATE VIEW IF NOT EXISTS availability AS
SELECT
    if(product.product_id != '', product.source_id, offers.source_id) AS source_id,
    if(product.product_id != '', product.product_id, offers.product_id) AS product_id,
    (product.product_id != '')::Bool AS has_product,
    product.name AS name,
    product.category_id AS category_id,
    (product.is_available AND offers.available_variants > 0)::Bool AS is_purchasable,
    product.is_available AS product_is_available,
    product.total_stock AS total_stock,
    offers.variants AS variants,
    offers.available_variants AS available_variants,
    offers.available_stock AS available_stock,
    offers.available_sellers AS available_sellers,
    offers.lowest_price AS lowest_price
FROM
(
    SELECT source_id, product_id, name, category_id, is_available, total_stock FROM current_products
) AS product
FULL JOIN
(
    SELECT
        source_id,
        product_id,
        count() AS variants,
        countIf(is_available) AS available_variants,
        sumIf(stock, is_available) AS available_stock,
        uniqExactIf(seller_id, is_available) AS available_sellers,
        minOrNullIf(ifNull(discounted_price, price), is_available) AS lowest_price
    FROM current_product_variants
    GROUP BY source_id, product_id
) AS offers ON offers.source_id = product.source_id AND offers.product_id = product.product_id
SETTINGS join_use_nulls = 0;
