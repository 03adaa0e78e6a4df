-- The category tree: one row per message, the newest of a category is its state.
CREATE TABLE IF NOT EXISTS categories
(
    source_id            LowCardinality(String) COMMENT 'Source of the message: its sourceIdentifier',
    category_id          String                 COMMENT 'categoryId' CODEC(ZSTD(1)),
    name                 String                 COMMENT 'Name' CODEC(ZSTD(1)),
    parent_category_id   String                 COMMENT 'parentCategoryId, empty for a root' CODEC(ZSTD(1)),
    level                Int32                  COMMENT 'Level in the tree, as the client says' CODEC(ZSTD(1)),
    is_leaf              Bool                   COMMENT 'Whether there are no categories below it, as the client says',
    url                  String                 COMMENT 'URL of the category page' CODEC(ZSTD(1)),
    version              UInt64                 COMMENT 'Arrival at the gateway in microseconds since 1970; the highest is the state' CODEC(DoubleDelta, ZSTD(1)),
    request_id           UUID                   COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at          DateTime64(3, 'UTC')   COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at            DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition      UInt16                 COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset         UInt64                 COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp      DateTime64(3, 'UTC')   COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (source_id, category_id)
SETTINGS non_replicated_deduplication_window = 10000;

-- The state of each, once, whatever came in which order and how often.
CREATE VIEW IF NOT EXISTS current_categories AS SELECT * FROM categories FINAL;
