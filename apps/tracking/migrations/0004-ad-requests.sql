-- What the ad endpoints were asked: one row per request. Copies of a request share message_id and vanish in merges.
CREATE TABLE IF NOT EXISTS ad_requests
(
    source_id       LowCardinality(String)  COMMENT 'sourceIdentifier of the body, empty if it has none',
    endpoint        LowCardinality(String)  COMMENT 'ad or sponsoredAd',
    message_id      UUID                    COMMENT 'The same for every copy of one message' CODEC(ZSTD(1)),
    body            JSON(max_dynamic_paths = 256) COMMENT 'The body as sent',
    request_id      UUID                    COMMENT 'X-Request-Id of the request' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway' CODEC(T64, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(T64, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(T64, ZSTD(1)),
    INDEX message_id_bloom message_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX kafka_offset_minmax kafka_offset TYPE minmax GRANULARITY 1,
    INDEX stored_at_minmax stored_at TYPE minmax GRANULARITY 1,
    -- One row per source and part: see freshness.
    PROJECTION newest (SELECT source_id, max(received_at), max(stored_at) GROUP BY source_id)
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(received_at)
ORDER BY (source_id, endpoint, toDate(received_at), message_id)
SETTINGS
    non_replicated_deduplication_window = 10000,
    deduplicate_merge_projection_mode = 'rebuild',
    min_age_to_force_merge_seconds = 21600,
    min_age_to_force_merge_on_partition_only = 1,
    -- 128 MiB: a part of one block is one file, and not two for each JSON path; merging those took 19,000 open files.
    min_bytes_for_wide_part = 134217728;
