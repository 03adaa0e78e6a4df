-- What people did, in the console or at a terminal: an intent before the deed, its outcome after it.
CREATE TABLE IF NOT EXISTS operator_actions
(
    action_id       UUID                    COMMENT 'The same for the intent and the outcome of a deed' CODEC(ZSTD(1)),
    outcome         LowCardinality(String)  COMMENT 'intended before the deed; done or failed after it',
    received_at     DateTime64(3, 'UTC')    COMMENT 'When it was written' CODEC(T64, ZSTD(1)),
    actor           String                  COMMENT 'User of the console, or of the machine' CODEC(ZSTD(1)),
    role            LowCardinality(String)  COMMENT 'Role of the actor at that time',
    face            LowCardinality(String)  COMMENT 'console or operator',
    origin          String                  COMMENT 'Address of the browser, or name of the machine' CODEC(ZSTD(1)),
    operation       LowCardinality(String)  COMMENT 'Such as sources.create',
    object          String                  COMMENT 'What it was done to' CODEC(ZSTD(1)),
    details         String                  COMMENT 'JSON without secrets' CODEC(ZSTD(1)),
    error           String                  COMMENT 'Why it failed' CODEC(ZSTD(1)),
    message_id      UUID                    COMMENT 'The same for every copy of one message' CODEC(ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(T64, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(T64, ZSTD(1)),
    INDEX message_id_bloom message_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX kafka_offset_minmax kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (received_at, action_id, outcome, message_id)
SETTINGS non_replicated_deduplication_window = 10000;
