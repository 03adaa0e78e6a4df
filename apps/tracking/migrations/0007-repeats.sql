-- Finds the copies of a message wherever the table has them: docs/decisions/0027-repeats.md. The bucket follows from what all
-- copies of a message have in common, and is made of Kafka's own hash of the key, so that a block of one partition asks for
-- few of the 48: with 12 partitions for 4, which lie side by side. `libs/clickhouse/src/message-place.ts` computes the same.
ALTER TABLE events ADD COLUMN IF NOT EXISTS repeat_bucket UInt8 MATERIALIZED
    bitAnd(kafkaMurmurHash(concat(source_id, ':', if(user_id = '', anonymous_id, user_id))), 2147483647) % 12 * 4
    + intDiv(bitAnd(kafkaMurmurHash(concat(source_id, ':', if(user_id = '', anonymous_id, user_id))), 2147483647) % 48, 12)
    COMMENT 'Where repeats of a message are looked for: one of 48 groups of persons' CODEC(ZSTD(1));
ALTER TABLE events ADD PROJECTION IF NOT EXISTS by_message
(
    SELECT timestamp, repeat_bucket, message_id
    ORDER BY toDate(timestamp), repeat_bucket, timestamp
);
ALTER TABLE identifies ADD COLUMN IF NOT EXISTS repeat_bucket UInt8 MATERIALIZED
    bitAnd(kafkaMurmurHash(concat(source_id, ':', if(user_id = '', anonymous_id, user_id))), 2147483647) % 12 * 4
    + intDiv(bitAnd(kafkaMurmurHash(concat(source_id, ':', if(user_id = '', anonymous_id, user_id))), 2147483647) % 48, 12)
    COMMENT 'As in events' CODEC(ZSTD(1));
ALTER TABLE identifies ADD PROJECTION IF NOT EXISTS by_message
(
    SELECT timestamp, repeat_bucket, message_id
    ORDER BY toDate(timestamp), repeat_bucket, timestamp
);
-- For the parts that are there: ClickHouse does it by and by, and until then reads them as it did before.
ALTER TABLE events MATERIALIZE PROJECTION by_message;
ALTER TABLE identifies MATERIALIZE PROJECTION by_message;
