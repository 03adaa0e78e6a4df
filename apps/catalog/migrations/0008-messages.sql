-- A repeated request must not put an older state in the place of a newer one: docs/decisions/0082-repeated-catalog-requests.md.
-- Which messages came with an Idempotency-Key lately, and as which version. A repeat has the same message_id and a higher
-- version; the consumer leaves it out. The tables themselves forget a message when a newer one replaces it.
ALTER TABLE sellers ADD COLUMN IF NOT EXISTS message_id UUID COMMENT 'The same for every copy of one message' CODEC(ZSTD(1));
ALTER TABLE products ADD COLUMN IF NOT EXISTS message_id UUID COMMENT 'The same for every copy of one message' CODEC(ZSTD(1));
ALTER TABLE product_variants ADD COLUMN IF NOT EXISTS message_id UUID COMMENT 'The same for every copy of one message' CODEC(ZSTD(1));
ALTER TABLE categories ADD COLUMN IF NOT EXISTS message_id UUID COMMENT 'The same for every copy of one message' CODEC(ZSTD(1));
ALTER TABLE general_entities ADD COLUMN IF NOT EXISTS message_id UUID COMMENT 'The same for every copy of one message' CODEC(ZSTD(1));

CREATE TABLE IF NOT EXISTS catalog_messages
(
    source_id       LowCardinality(String)  COMMENT 'Source of the message: its sourceIdentifier',
    entities        LowCardinality(String)  COMMENT 'Table of the message, such as products',
    message_id      UUID                    COMMENT 'The same for every copy of one message' CODEC(ZSTD(1)),
    version         UInt64                  COMMENT 'Version of this copy; the lowest is that of the message' CODEC(DoubleDelta, ZSTD(1)),
    request_id      UUID                    COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(Delta, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(DoubleDelta, ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(received_at)
ORDER BY (message_id, entities, version)
TTL toDateTime(received_at) + INTERVAL 9 DAY
-- Ids are random: a look-up reads a granule for each.
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 10000;

-- An id of version 8 comes from a key (apps/gateway/src/intake/message-id.ts); others are of one request only.
CREATE MATERIALIZED VIEW IF NOT EXISTS catalog_messages_from_sellers TO catalog_messages AS
SELECT source_id, 'sellers' AS entities, message_id, version, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp
FROM sellers
WHERE substring(toString(message_id), 15, 1) = '8';
CREATE MATERIALIZED VIEW IF NOT EXISTS catalog_messages_from_products TO catalog_messages AS
SELECT source_id, 'products' AS entities, message_id, version, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp
FROM products
WHERE substring(toString(message_id), 15, 1) = '8';
CREATE MATERIALIZED VIEW IF NOT EXISTS catalog_messages_from_product_variants TO catalog_messages AS
SELECT source_id, 'product_variants' AS entities, message_id, version, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp
FROM product_variants
WHERE substring(toString(message_id), 15, 1) = '8';
CREATE MATERIALIZED VIEW IF NOT EXISTS catalog_messages_from_categories TO catalog_messages AS
SELECT source_id, 'categories' AS entities, message_id, version, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp
FROM categories
WHERE substring(toString(message_id), 15, 1) = '8';
CREATE MATERIALIZED VIEW IF NOT EXISTS catalog_messages_from_general_entities TO catalog_messages AS
SELECT source_id, 'general_entities' AS entities, message_id, version, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp
FROM general_entities
WHERE substring(toString(message_id), 15, 1) = '8';
