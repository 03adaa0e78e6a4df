-- The traits of each person: one row per person and top-level trait, the latest of each wins.
CREATE TABLE IF NOT EXISTS users
(
    source_id       LowCardinality(String)  COMMENT 'Source of the message: its sourceIdentifier',
    user_id         String                  COMMENT 'userId, empty for a person known by anonymousId only' CODEC(ZSTD(1)),
    anonymous_id    String                  COMMENT 'anonymousId, only where there is no userId' CODEC(ZSTD(1)),
    trait           LowCardinality(String)  COMMENT 'Name of the top-level trait',
    value           String                  COMMENT 'Its value as JSON' CODEC(ZSTD(1)),
    said_at         DateTime64(3, 'UTC')    COMMENT 'Version: when it was said, but never later than its arrival' CODEC(DoubleDelta, ZSTD(1)),
    request_id      UUID                    COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1))
)
ENGINE = ReplacingMergeTree(said_at)
ORDER BY (source_id, user_id, anonymous_id, trait)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS users_from_identifies TO users AS
SELECT
    source_id,
    user_id,
    if(user_id = '', anonymous_id, '') AS anonymous_id,
    member.1 AS trait,
    member.2 AS value,
    least(timestamp, received_at) AS said_at,
    request_id,
    received_at,
    stored_at,
    kafka_partition,
    kafka_offset,
    kafka_timestamp
FROM identifies
ARRAY JOIN JSONExtractKeysAndValuesRaw(toString(traits)) AS member;

-- One row per person with the latest value of each trait: SELECT traits.plan FROM user_traits WHERE user_id = 'u1'
CREATE VIEW IF NOT EXISTS user_traits AS
SELECT
    source_id,
    user_id,
    anonymous_id,
    concat('{', arrayStringConcat(groupArray(concat(toJSONString(trait), ':', value)), ','), '}')::JSON AS traits,
    max(said_at) AS updated_at
FROM users FINAL
GROUP BY source_id, user_id, anonymous_id
-- Whatever the reader's settings: text that looks like a date stays the text that was sent.
SETTINGS input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0;
