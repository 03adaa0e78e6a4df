-- Who sells on the marketplace: one row per message, the newest of a seller is its state.
CREATE TABLE IF NOT EXISTS sellers
(
    source_id            LowCardinality(String) COMMENT 'Source of the message: its sourceIdentifier',
    seller_id            String                 COMMENT 'sellerId' CODEC(ZSTD(1)),
    first_name           String                 COMMENT 'firstName, empty if not sent' CODEC(ZSTD(1)),
    last_name            String                 COMMENT 'lastName, empty if not sent' CODEC(ZSTD(1)),
    email                String                 COMMENT 'E-mail address' CODEC(ZSTD(1)),
    national_id          String                 COMMENT 'nationalId, empty if not sent' CODEC(ZSTD(1)),
    address              String                 COMMENT 'Postal address, empty if not sent' CODEC(ZSTD(1)),
    phone_number         String                 COMMENT 'phoneNumber, empty if not sent' CODEC(ZSTD(1)),
    is_active            Bool                   COMMENT 'Whether the seller sells at present',
    is_brand             Bool                   COMMENT 'Whether the seller is a brand',
    is_marketplace_owner Bool                   COMMENT 'isMarketPlaceOwner',
    created_at           Nullable(DateTime64(3, 'UTC')) COMMENT 'createdAt; NULL if not sent' CODEC(ZSTD(1)),
    attributes           JSON(max_dynamic_paths = 256) COMMENT 'Free-form metadata as sent',
    version              UInt64                 COMMENT 'Arrival at the gateway in microseconds since 1970; the highest is the state' CODEC(DoubleDelta, ZSTD(1)),
    request_id           UUID                   COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at          DateTime64(3, 'UTC')   COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at            DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition      UInt16                 COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset         UInt64                 COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp      DateTime64(3, 'UTC')   COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (source_id, seller_id)
SETTINGS non_replicated_deduplication_window = 10000;

-- The state of each, once, whatever came in which order and how often.
CREATE VIEW IF NOT EXISTS current_sellers AS SELECT * FROM sellers FINAL;
