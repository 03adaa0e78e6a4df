-- Refused messages of an event that were kept whole, beside those that arrived: docs/watch.md#what-is-found.
ALTER TABLE event_hours ADD COLUMN IF NOT EXISTS refused UInt64 DEFAULT 0 COMMENT 'Messages of it that were refused and kept whole' CODEC(T64, ZSTD(1)) AFTER messages;
