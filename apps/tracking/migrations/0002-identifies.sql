-- What was said about users: one row per identify message.
CREATE TABLE IF NOT EXISTS identifies
(
    source_id       LowCardinality(String)  COMMENT 'Source of the message: its sourceIdentifier',
    user_id         String                  COMMENT 'userId, empty if not sent' CODEC(ZSTD(1)),
    anonymous_id    String                  COMMENT 'anonymousId, empty if not sent' CODEC(ZSTD(1)),
    message_id      UUID                    COMMENT 'The same for every copy of one message' CODEC(ZSTD(1)),
    timestamp       DateTime64(3, 'UTC')    COMMENT 'When it took place; arrival at the gateway if the client did not say' CODEC(T64, ZSTD(1)),
    traits          JSON(max_dynamic_paths = 256) COMMENT 'Traits as sent',
    context         JSON(max_dynamic_paths = 128) COMMENT 'Context as sent',
    request_id      UUID                    COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway' CODEC(T64, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(T64, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(T64, ZSTD(1)),
    identity        UInt64 MATERIALIZED if(user_id = '', sipHash64('anonymous', anonymous_id), sipHash64('user', user_id)) COMMENT 'Whose id it came under, as in events' CODEC(ZSTD(1)),
    INDEX message_id_bloom message_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX kafka_offset_minmax kafka_offset TYPE minmax GRANULARITY 1,
    INDEX stored_at_minmax stored_at TYPE minmax GRANULARITY 1,
    -- Which user an anonymous id belongs to: see identity_links.
    PROJECTION by_anonymous_id
    (
        SELECT source_id, anonymous_id, user_id, timestamp, received_at
        ORDER BY source_id, anonymous_id, user_id
    ) WITH SETTINGS (index_granularity = 1024, min_bytes_for_wide_part = 1099511627776),
    -- One row per source and part: see freshness.
    PROJECTION newest (SELECT source_id, max(received_at), max(stored_at) GROUP BY source_id)
)
ENGINE = ReplacingMergeTree
-- Not by week as events: who a person is lies in all weeks, and opening each of them took most of the time of user_timeline.
ORDER BY (source_id, identity, message_id)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    deduplicate_merge_projection_mode = 'rebuild',
    -- 128 MiB: a part of one block is one file, and not two for each JSON path; merging those took 19,000 open files.
    min_bytes_for_wide_part = 134217728;
