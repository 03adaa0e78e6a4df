-- What the gateways refused. A row of kind `count` is an exact number of requests of one second; all others are samples:
-- docs/tables.md#refusals-refused_requests.
CREATE TABLE IF NOT EXISTS refused_requests
(
    source_id       LowCardinality(String)  COMMENT 'Source of the request, empty if it is not known',
    kind            LowCardinality(String)  COMMENT 'refused; dropped or rejected for a part of an accepted request; count for a number of requests',
    reason          LowCardinality(String)  COMMENT 'Code of the error, or invalid_fields',
    requests        UInt32                  COMMENT 'Number of requests: 1 for a sample; exact for a count',
    counted         LowCardinality(String)  COMMENT 'For a count, the kind that was counted' ,
    method          LowCardinality(String)  COMMENT 'HTTP method',
    route           LowCardinality(String)  COMMENT 'Template of the path',
    status          UInt16                  COMMENT 'Status of the answer',
    problems        String                  COMMENT 'Problems of the answer, a JSON array' CODEC(ZSTD(1)),
    body            String                  COMMENT 'First 8 KiB of the body, if it is kept' CODEC(ZSTD(1)),
    user_agent      String                  COMMENT 'User-Agent' CODEC(ZSTD(1)),
    message_id      UUID                    COMMENT 'The same for every copy of one message' CODEC(ZSTD(1)),
    request_id      UUID                    COMMENT 'X-Request-Id of the request; zero for a count' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway; for a count, the end of its second' CODEC(T64, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(T64, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(T64, ZSTD(1)),
    INDEX message_id_bloom message_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX kafka_offset_minmax kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(received_at)
ORDER BY (toStartOfHour(received_at), source_id, kind, reason, message_id)
TTL toDateTime(received_at) + INTERVAL 30 DAY
SETTINGS non_replicated_deduplication_window = 10000;
