-- The canary: docs/decisions/0114-canary.md. Probes are messages that gateways send to themselves. They come the way of events,
-- and lie here, so that nobody who reads events sees them. A copy of a row stays, so that it is found: no engine that merges.
CREATE TABLE IF NOT EXISTS canary_probes
(
    source_id       LowCardinality(String)  COMMENT 'Always sluicecanary',
    timestamp       DateTime64(3, 'UTC')    COMMENT 'When the gateway called itself, by its own clock' CODEC(T64, ZSTD(1)),
    message_id      UUID                    COMMENT 'The same for every copy of one message' CODEC(ZSTD(1)),
    properties      JSON(max_dynamic_paths = 128) COMMENT 'What the probe says: its series and number, and how earlier ones were answered',
    request_id      UUID                    COMMENT 'X-Request-Id of the request it came with' CODEC(ZSTD(1)),
    received_at     DateTime64(3, 'UTC')    COMMENT 'Arrival at the gateway' CODEC(T64, ZSTD(1)),
    stored_at       DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(T64, ZSTD(1)),
    kafka_partition UInt16                  COMMENT 'Where the message lies in Kafka' CODEC(ZSTD(1)),
    kafka_offset    UInt64                  COMMENT 'Where the message lies in Kafka' CODEC(T64, ZSTD(1)),
    kafka_timestamp DateTime64(3, 'UTC')    COMMENT 'When Kafka took the message' CODEC(T64, ZSTD(1)),
    series          String MATERIALIZED ifNull(properties.series.:String, '') COMMENT 'Name of the series: of a gateway and its data folder' CODEC(ZSTD(1)),
    number          UInt64 MATERIALIZED toUInt64(greatest(ifNull(properties.number.:Int64, 0), 0)) COMMENT 'Number of the probe in its series, from 1' CODEC(T64, ZSTD(1)),
    INDEX message_id_bloom message_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX kafka_offset_minmax kafka_offset TYPE minmax GRANULARITY 1,
    INDEX stored_at_minmax stored_at TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(received_at)
ORDER BY (series, number)
TTL toDateTime(received_at) + INTERVAL 8 DAY
SETTINGS non_replicated_deduplication_window = 10000, min_bytes_for_wide_part = 134217728;

-- Totals of each series up to a number. A row that judges more replaces the one before, so the totals outlive the probes.
CREATE TABLE IF NOT EXISTS canary_series
(
    series       String                   COMMENT 'Name of the series' CODEC(ZSTD(1)),
    judged_up_to UInt64                   COMMENT 'The last number that was judged' CODEC(ZSTD(1)),
    began        DateTime64(3, 'UTC')     COMMENT 'Call of the first probe that was stored' CODEC(ZSTD(1)),
    last_call    DateTime64(3, 'UTC')     COMMENT 'Call of the last probe that was judged and stored' CODEC(ZSTD(1)),
    accepted     UInt64                   COMMENT 'Probes that were answered 200' CODEC(ZSTD(1)),
    refused      UInt64                   COMMENT 'Probes that were answered otherwise, such as 503' CODEC(ZSTD(1)),
    in_doubt     UInt64                   COMMENT 'Probes whose answer never came' CODEC(ZSTD(1)),
    unjudged     UInt64                   COMMENT 'Probes of which too little was left to judge them' CODEC(ZSTD(1)),
    latencies    Array(UInt64)            COMMENT 'Stored probes by the time from call to row, in steps of 5 % from 1 ms' CODEC(ZSTD(1)),
    stored_at    DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(judged_up_to)
ORDER BY series
SETTINGS non_replicated_deduplication_window = 10000;

-- Probes that were lost, or stored more than once. One that arrives after all keeps its row.
CREATE TABLE IF NOT EXISTS canary_faults
(
    series    String                   COMMENT 'Name of the series' CODEC(ZSTD(1)),
    number    UInt64                   COMMENT 'Number of the probe' CODEC(ZSTD(1)),
    kind      LowCardinality(String)   COMMENT 'lost or doubled',
    called    DateTime64(3, 'UTC')     COMMENT 'Call of the probe, or of the next one that was stored' CODEC(ZSTD(1)),
    found     DateTime64(3, 'UTC')     COMMENT 'When it was found' CODEC(ZSTD(1)),
    arrived   DateTime64(3, 'UTC')     COMMENT 'When a lost one was stored after all; 1970 otherwise' CODEC(ZSTD(1)),
    stored_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Insertion into this table' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (series, number, kind)
SETTINGS non_replicated_deduplication_window = 10000;
