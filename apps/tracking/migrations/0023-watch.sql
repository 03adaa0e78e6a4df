-- What the watch keeps to know when an event stops: docs/decisions/0113-event-watch.md. Counts by the hour of arrival, not by
-- the client's time: rows that come a day late are seen when they come. No table holds a person or a value of a property.

-- Messages by source, event and hour. An hour that is counted again replaces its row.
CREATE TABLE IF NOT EXISTS event_hours
(
    source_id LowCardinality(String) COMMENT 'As in events',
    event     LowCardinality(String) COMMENT 'As in events',
    hour      DateTime('UTC')        COMMENT 'Hour of the arrival at the gateway' CODEC(Delta, ZSTD(1)),
    messages  UInt64                 COMMENT 'Messages that arrived in it' CODEC(T64, ZSTD(1)),
    stored_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (source_id, event, hour)
TTL hour + INTERVAL 100 DAY
SETTINGS non_replicated_deduplication_window = 10000;

-- Refused messages and devices by source and hour.
CREATE TABLE IF NOT EXISTS source_hours
(
    source_id LowCardinality(String) COMMENT 'As in events',
    hour      DateTime('UTC')        COMMENT 'Hour of the arrival at the gateway' CODEC(Delta, ZSTD(1)),
    messages  UInt64                 COMMENT 'Events that arrived in it' CODEC(T64, ZSTD(1)),
    refused   UInt64                 COMMENT 'Requests of the source that were refused in it' CODEC(T64, ZSTD(1)),
    devices   UInt64                 COMMENT 'People and devices whose SDK said when it sent' CODEC(T64, ZSTD(1)),
    wrong_clocks UInt64              COMMENT 'Those of them whose clock was more than ten minutes from the arrival' CODEC(T64, ZSTD(1)),
    stored_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (source_id, hour)
TTL hour + INTERVAL 100 DAY
SETTINGS non_replicated_deduplication_window = 10000;

-- Types of frequent properties by event and hour, in a sample of the messages. The hour is first: few hours are read.
CREATE TABLE IF NOT EXISTS property_hours
(
    source_id LowCardinality(String) COMMENT 'As in events',
    event     LowCardinality(String) COMMENT 'As in events',
    hour      DateTime('UTC')        COMMENT 'Hour of the arrival at the gateway' CODEC(Delta, ZSTD(1)),
    property  String                 COMMENT 'Path of the property; empty in the row that counts the messages' CODEC(ZSTD(1)),
    type      LowCardinality(String) COMMENT 'number, text, boolean or array; empty in the row that counts the messages',
    messages  UInt64                 COMMENT 'Messages of the sample in which the property has the type' CODEC(T64, ZSTD(1)),
    stored_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (hour, source_id, event, property, type)
TTL hour + INTERVAL 35 DAY
SETTINGS non_replicated_deduplication_window = 10000;

-- Changes that were found. A change that is worse, or has ended, replaces its row.
CREATE TABLE IF NOT EXISTS event_changes
(
    source_id     LowCardinality(String) COMMENT 'As in events',
    event         LowCardinality(String) COMMENT 'As in events; empty for a change of the whole source',
    kind          LowCardinality(String) COMMENT 'stopped, fell, type, vanished, refused or clock',
    family        LowCardinality(String) COMMENT 'messages for stopped and fell, of which an event has one at a time; else the kind',
    property      String                 COMMENT 'Path of the property that changed; empty for others' CODEC(ZSTD(1)),
    began         DateTime('UTC')        COMMENT 'First hour that showed it',
    found         DateTime('UTC')        COMMENT 'End of the hour in which it was found',
    ended         DateTime('UTC')        COMMENT 'End of the hour in which it was well again, or the new state; 1970 while it lasts',
    observed      Float64                COMMENT 'Messages of an hour; a share from 0 to 1 for type, vanished, refused and clock',
    expected_low  Float64                COMMENT 'Least that was expected of it',
    expected_high Float64                COMMENT 'Most that was expected of it',
    type_before   LowCardinality(String) COMMENT 'Type of the property before',
    type          LowCardinality(String) COMMENT 'Its new type; empty if it vanished',
    since         String                 COMMENT 'Version or host that it came with, such as app 4.2.1; empty if none explains it' CODEC(ZSTD(1)),
    stored_at     DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (source_id, event, family, property, found)
TTL found + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;

-- Events that are not watched for a time: `operator watch mute`.
CREATE TABLE IF NOT EXISTS event_mutes
(
    source_id LowCardinality(String) COMMENT 'As in events',
    event     LowCardinality(String) COMMENT 'As in events; empty for changes of the whole source',
    until     DateTime('UTC')        COMMENT 'End of the mute; a past one unmutes',
    reason    String                 COMMENT 'Why' CODEC(ZSTD(1)),
    actor     String                 COMMENT 'Who' CODEC(ZSTD(1)),
    stored_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (source_id, event)
SETTINGS non_replicated_deduplication_window = 10000;

-- Runs of the watch. The first claim of an hour has it; a run that is not done after ten minutes may be repeated.
CREATE TABLE IF NOT EXISTS watch_runs
(
    hour        DateTime('UTC')        COMMENT 'Hour that the run judged',
    runner      String                 COMMENT 'Process that did it' CODEC(ZSTD(1)),
    claimed     DateTime64(3, 'UTC')   COMMENT 'When it began, by the clock of ClickHouse',
    is_done     Bool                   COMMENT 'Whether it has ended',
    took_ms     UInt32                 COMMENT 'Time that it took',
    judged      UInt32                 COMMENT 'Events that were judged',
    unknown     UInt32                 COMMENT 'Those of which the history says too little',
    stored_at   DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (hour, runner)
TTL hour + INTERVAL 100 DAY
SETTINGS non_replicated_deduplication_window = 10000;
