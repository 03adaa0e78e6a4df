-- What users did: one row per track message. Copies of a message share message_id and vanish in merges.
-- Why it is built like this, with the figures: docs/decisions/0016-analysts-tables.md.
CREATE TABLE IF NOT EXISTS events
(
    source_id       LowCardinality(String)  COMMENT 'Source of the event: its sourceIdentifier',
    event           LowCardinality(String)  COMMENT 'Name of the action',
    timestamp       DateTime64(3, 'UTC')    COMMENT 'When it took place; arrival at the gateway if the client did not say' CODEC(T64, ZSTD(1)),
    user_id         String                  COMMENT 'userId, empty if not sent' CODEC(ZSTD(1)),
    anonymous_id    String                  COMMENT 'anonymousId, empty if not sent' CODEC(ZSTD(1)),
    message_id      UUID                    COMMENT 'The same for every copy of one message' CODEC(ZSTD(1)),
    properties      JSON(max_dynamic_paths = 256) COMMENT 'Event properties as sent',
    context         JSON(max_dynamic_paths = 128) COMMENT 'Context as sent',
    request_id      UUID                    COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway' CODEC(T64, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(T64, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(T64, ZSTD(1)),
    identity        UInt64 MATERIALIZED if(user_id = '', sipHash64('anonymous', anonymous_id), sipHash64('user', user_id)) COMMENT 'Whose id it came under, as a number that is quick to count: hash of user_id, or of anonymous_id where that is empty' CODEC(ZSTD(1)),
    product_ids     Array(String) MATERIALIZED arrayDistinct(arrayFilter(id -> id != '', arrayMap(id -> ifNull(id, ''), arrayConcat(
        [
            properties.product_id.:String,
            properties.productId.:String,
            toString(properties.product_id.:Int64),
            toString(properties.productId.:Int64)
        ],
        properties.products[].product_id.:String,
        properties.products[].productId.:String,
        arrayMap(id -> toString(id), properties.products[].product_id.:Int64),
        arrayMap(id -> toString(id), properties.products[].productId.:Int64),
        properties.items[].product_id.:String,
        properties.items[].productId.:String,
        arrayMap(id -> toString(id), properties.items[].product_id.:Int64),
        arrayMap(id -> toString(id), properties.items[].productId.:Int64))))) COMMENT 'The products that properties names as product_id or productId, itself or in its arrays products and items' CODEC(ZSTD(1)),
    INDEX message_id_bloom message_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX kafka_offset_minmax kafka_offset TYPE minmax GRANULARITY 1,
    INDEX stored_at_minmax stored_at TYPE minmax GRANULARITY 1,
    -- The second order, for all that one person did: see user_timeline. Small granules, for a person has few rows, and
    -- compact parts: a wide one has a hundred files to open for one path each of the JSON.
    PROJECTION by_person
    (
        SELECT source_id, identity, timestamp, event, user_id, anonymous_id, message_id, properties
        ORDER BY source_id, identity, timestamp
    ) WITH SETTINGS (index_granularity = 512, min_bytes_for_wide_part = 1099511627776),
    -- One row per source and part: see freshness.
    PROJECTION newest (SELECT source_id, max(received_at), max(stored_at) GROUP BY source_id)
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(received_at)
-- The index ends before `identity`: what is asked by it is read in the second order, without a look at each mark of this one.
PRIMARY KEY (source_id, toDate(timestamp), event)
ORDER BY (source_id, toDate(timestamp), event, identity, message_id)
SETTINGS
    non_replicated_deduplication_window = 10000,
    deduplicate_merge_projection_mode = 'rebuild',
    -- A week that rests becomes one part, and reading that with FINAL costs nothing.
    min_age_to_force_merge_seconds = 21600,
    min_age_to_force_merge_on_partition_only = 1,
    -- 128 MiB: a part of one block is one file, and not two for each JSON path; merging those took 19,000 open files.
    min_bytes_for_wide_part = 134217728;
