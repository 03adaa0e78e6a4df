-- Versions of products, of one seller, size, price: one row per message, the newest of a variant is its state.
CREATE TABLE IF NOT EXISTS product_variants
(
    source_id            LowCardinality(String) COMMENT 'Source of the message: its sourceIdentifier',
    variant_id           String                 COMMENT 'variantId' CODEC(ZSTD(1)),
    product_id           String                 COMMENT 'productId: product the variant belongs to' CODEC(ZSTD(1)),
    seller_id            String                 COMMENT 'sellerId: seller offering it' CODEC(ZSTD(1)),
    price                Decimal(38, 9)         COMMENT 'Price in the currency of the marketplace, exact' CODEC(ZSTD(1)),
    discounted_price     Nullable(Decimal(38, 9)) COMMENT 'Price after discount, exact; NULL if not sent' CODEC(ZSTD(1)),
    stock                Decimal(38, 9)         COMMENT 'Amount in stock, exact' CODEC(ZSTD(1)),
    is_available         Bool                   COMMENT 'Whether it can be bought',
    is_buy_box_winner    Bool                   COMMENT 'isBuyBoxWinner: whether the product page shows it',
    image                String                 COMMENT 'URL of an image, empty if not sent' CODEC(ZSTD(1)),
    attributes           JSON(max_dynamic_paths = 256) COMMENT 'Free-form metadata as sent',
    url                  String                 COMMENT 'URL of the variant, empty if not sent' CODEC(ZSTD(1)),
    version              UInt64                 COMMENT 'Arrival at the gateway in microseconds since 1970; the highest is the state' CODEC(DoubleDelta, ZSTD(1)),
    request_id           UUID                   COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at          DateTime64(3, 'UTC')   COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at            DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition      UInt16                 COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset         UInt64                 COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp      DateTime64(3, 'UTC')   COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1)),
    -- The variants of one product.
    INDEX product_id_bloom product_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (source_id, variant_id)
SETTINGS non_replicated_deduplication_window = 10000;

-- The state of each, once, whatever came in which order and how often.
CREATE VIEW IF NOT EXISTS current_product_variants AS SELECT * FROM product_variants FINAL;
