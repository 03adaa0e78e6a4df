-- Anything else of a catalog: one row per message, the newest of an id is its state.
CREATE TABLE IF NOT EXISTS general_entities
(
    source_id            LowCardinality(String) COMMENT 'Source of the message: its sourceIdentifier',
    id                   String                 COMMENT 'Id of the entity, whatever its type' CODEC(ZSTD(1)),
    type                 LowCardinality(String) COMMENT 'What kind of entity it is, empty if not sent',
    data                 JSON(max_dynamic_paths = 256) COMMENT 'Key-value pairs as sent',
    version              UInt64                 COMMENT 'Arrival at the gateway in microseconds since 1970; the highest is the state' CODEC(DoubleDelta, ZSTD(1)),
    request_id           UUID                   COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at          DateTime64(3, 'UTC')   COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at            DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition      UInt16                 COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset         UInt64                 COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp      DateTime64(3, 'UTC')   COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (source_id, id)
SETTINGS non_replicated_deduplication_window = 10000;

-- The state of each, once, whatever came in which order and how often.
CREATE VIEW IF NOT EXISTS current_general_entities AS SELECT * FROM general_entities FINAL;
