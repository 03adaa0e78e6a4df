-- The push tokens that devices registered: one row per device and token, its latest registration.
CREATE TABLE IF NOT EXISTS push_devices
(
    source_id       LowCardinality(String)  COMMENT 'Source of the registration: its sourceIdentifier',
    device_id       String                  COMMENT 'The device, by the id that the SDK gave it' CODEC(ZSTD(1)),
    key             String                  COMMENT 'The push token that was registered' CODEC(ZSTD(1)),
    sdk             LowCardinality(String)  COMMENT 'WEB, ANDROID or IOS, empty if not sent',
    package_name    LowCardinality(String)  COMMENT 'The app, empty if not sent',
    user_id         String                  COMMENT 'userId, empty if not sent' CODEC(ZSTD(1)),
    anonymous_id    String                  COMMENT 'anonymousId, empty if not sent' CODEC(ZSTD(1)),
    registered_at   DateTime64(3, 'UTC')    COMMENT 'Version: when it was registered, but never later than its arrival' CODEC(DoubleDelta, ZSTD(1)),
    request_id      UUID                    COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1))
)
ENGINE = ReplacingMergeTree(registered_at)
ORDER BY (source_id, device_id, key)
SETTINGS non_replicated_deduplication_window = 10000;

-- One row per device: the token it registered last, which is the one to send to.
CREATE VIEW IF NOT EXISTS current_push_devices AS
SELECT
    source_id,
    device_id,
    latest.1 AS key,
    latest.2 AS sdk,
    latest.3 AS package_name,
    latest.4 AS user_id,
    latest.5 AS anonymous_id,
    latest.6 AS registered_at,
    latest.7 AS request_id,
    latest.8 AS received_at,
    latest.9 AS stored_at,
    latest.10 AS kafka_partition,
    latest.11 AS kafka_offset,
    latest.12 AS kafka_timestamp
FROM
(
    -- Grouped, and not the first of a sorted list: so a condition on source_id or device_id reaches the table.
    SELECT
        source_id,
        device_id,
        argMax(
            (key, sdk, package_name, user_id, anonymous_id, registered_at, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp),
            (registered_at, kafka_offset)) AS latest
    FROM push_devices
    GROUP BY source_id, device_id
);
