-- Messages that the gateways refused and kept whole: one row per message. `operator refused replay` reads them again under the
-- present plan: docs/tables.md#refused-messages-refused_messages.
CREATE TABLE IF NOT EXISTS refused_messages
(
    source_id       LowCardinality(String)  COMMENT 'Source of the message: its sourceIdentifier',
    kind            LowCardinality(String)  COMMENT 'track, identify, or segment for what a client of Segment sent',
    event           LowCardinality(String)  COMMENT 'Name of the action, empty for identify or if it is not a text',
    reason          LowCardinality(String)  COMMENT 'plan, or invalid_fields for what is not a message of the API',
    plan_version    UInt32                  COMMENT 'Version of the plan that refused it, 0 if none did' CODEC(ZSTD(1)),
    violations      Array(LowCardinality(String)) COMMENT 'Rule and path of each violation of the plan; at most 8, then more',
    problems        String                  COMMENT 'Entries of the answer about it, a JSON array' CODEC(ZSTD(1)),
    timestamp       DateTime64(3, 'UTC')    COMMENT 'When it took place; arrival at the gateway if that is not known' CODEC(T64, ZSTD(1)),
    user_id         String                  COMMENT 'userId, empty if not sent' CODEC(ZSTD(1)),
    anonymous_id    String                  COMMENT 'anonymousId, empty if not sent' CODEC(ZSTD(1)),
    message_id      UUID                    COMMENT 'The same for every copy of one message, also after a replay in its own table' CODEC(ZSTD(1)),
    body            String                  COMMENT 'The message as sent, JSON' CODEC(ZSTD(1)),
    user_agent      LowCardinality(String)  COMMENT 'As in events' CODEC(ZSTD(1)),
    country         LowCardinality(String)  COMMENT 'As in events' CODEC(ZSTD(1)),
    request_id      UUID                    COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway' CODEC(T64, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(T64, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(T64, ZSTD(1)),
    INDEX message_id_bloom message_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX kafka_offset_minmax kafka_offset TYPE minmax GRANULARITY 1,
    INDEX stored_at_minmax stored_at TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(received_at)
ORDER BY (source_id, toDate(received_at), event, message_id)
TTL toDateTime(received_at) + INTERVAL 30 DAY
SETTINGS non_replicated_deduplication_window = 10000;
