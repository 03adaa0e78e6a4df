-- What is sold: one row per message, the newest of a product is its state.
CREATE TABLE IF NOT EXISTS products
(
    source_id            LowCardinality(String) COMMENT 'Source of the message: its sourceIdentifier',
    product_id           String                 COMMENT 'productId' CODEC(ZSTD(1)),
    name                 String                 COMMENT 'Name' CODEC(ZSTD(1)),
    name_en              String                 COMMENT 'nameEn, empty if not sent' CODEC(ZSTD(1)),
    created_at           Nullable(DateTime64(3, 'UTC')) COMMENT 'createdAt; NULL if not sent' CODEC(ZSTD(1)),
    brand                LowCardinality(String) COMMENT 'Brand, empty if not sent',
    category_id          String                 COMMENT 'categoryId: leaf category of the product' CODEC(ZSTD(1)),
    main_image           String                 COMMENT 'URL of the main image' CODEC(ZSTD(1)),
    additional_media     Array(String)          COMMENT 'URLs of more images and videos' CODEC(ZSTD(1)),
    description          String                 COMMENT 'Description, empty if not sent' CODEC(ZSTD(1)),
    total_stock          Int32                  COMMENT 'Pieces in stock, as the client says' CODEC(ZSTD(1)),
    is_available         Bool                   COMMENT 'Whether it can be bought, as the client says',
    url                  String                 COMMENT 'URL of the product page' CODEC(ZSTD(1)),
    attributes           JSON(max_dynamic_paths = 256) COMMENT 'Free-form metadata as sent',
    version              UInt64                 COMMENT 'Arrival at the gateway in microseconds since 1970; the highest is the state' CODEC(DoubleDelta, ZSTD(1)),
    request_id           UUID                   COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at          DateTime64(3, 'UTC')   COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at            DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition      UInt16                 COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset         UInt64                 COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp      DateTime64(3, 'UTC')   COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (source_id, product_id)
SETTINGS non_replicated_deduplication_window = 10000;

-- The state of each, once, whatever came in which order and how often.
CREATE VIEW IF NOT EXISTS current_products AS SELECT * FROM products FINAL;
