-- Every state of every variant, as far as it says what it costs and who sells it: docs/decisions/0116-offers-over-time.md.
-- product_variants keeps the newest only. One row per message, once, whatever comes in which order and how often.
CREATE TABLE IF NOT EXISTS variant_states
(
    source_id         LowCardinality(String) COMMENT 'Source of the message: its sourceIdentifier',
    variant_id        String                 COMMENT 'variantId' CODEC(ZSTD(1)),
    version           UInt64                 COMMENT 'Since when it was so: version of product_variants' CODEC(DoubleDelta, ZSTD(1)),
    product_id        String                 COMMENT 'productId; empty for a deletion' CODEC(ZSTD(1)),
    seller_id         String                 COMMENT 'sellerId; empty for a deletion' CODEC(ZSTD(1)),
    price             Decimal(38, 9)         COMMENT 'Price in the currency of the marketplace, exact' CODEC(ZSTD(1)),
    discounted_price  Nullable(Decimal(38, 9)) COMMENT 'Price after discount, exact; NULL if not sent' CODEC(ZSTD(1)),
    stock             Decimal(38, 9)         COMMENT 'Amount in stock, exact' CODEC(ZSTD(1)),
    is_available      Bool                   COMMENT 'Whether it could be bought',
    is_buy_box_winner Bool                   COMMENT 'isBuyBoxWinner: whether the product page showed it',
    is_deleted        Bool                   COMMENT 'Whether this state is a deletion, which has no columns but the id',
    request_id        UUID                   COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at       DateTime64(3, 'UTC')   COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at         DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition   UInt16                 COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset      UInt64                 COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp   DateTime64(3, 'UTC')   COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (source_id, variant_id, version)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS variant_states_from_product_variants TO variant_states AS
SELECT
    source_id, variant_id, version, product_id, seller_id, price, discounted_price, stock, is_available, is_buy_box_winner,
    is_deleted, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp
FROM product_variants;

-- What was stored before: the states that product_variants still has. A row that is there twice is one.
INSERT INTO variant_states
SELECT
    source_id, variant_id, version, product_id, seller_id, price, discounted_price, stock, is_available, is_buy_box_winner,
    is_deleted, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp
FROM product_variants;

-- What changed when: each state of a variant that differs from the one before it, and when it ended.
CREATE VIEW IF NOT EXISTS variant_history AS
SELECT
    source_id,
    variant_id,
    fromUnixTimestamp64Micro(toInt64(state.version), 'UTC') AS began_at,
    if(next_version = 0, NULL, fromUnixTimestamp64Micro(toInt64(next_version), 'UTC')) AS ended_at,
    product_id,
    seller_id,
    price,
    discounted_price,
    stock,
    is_available,
    is_buy_box_winner,
    is_deleted
FROM
(
    SELECT *, leadInFrame(version) OVER (PARTITION BY source_id, variant_id ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS next_version
    FROM
    (
        SELECT
            *,
            (product_id, seller_id, price, ifNull(discounted_price, 0), isNull(discounted_price), stock, is_available, is_buy_box_winner, is_deleted) AS facts,
            lagInFrame(facts) OVER before AS facts_before,
            lagInFrame(version) OVER before AS version_before
        FROM variant_states FINAL
        WINDOW before AS (PARTITION BY source_id, variant_id ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WHERE version_before = 0 OR facts != facts_before
) AS state
SETTINGS
    aggregate_functions_null_for_empty = 0, prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0,
    transform_null_in = 0, cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0;
