-- What happened to notifications: one row per notification and interaction, however often and by whichever way it was
-- reported. Every column is merged by a function that does not depend on order or number: rows that come again, in
-- other blocks or after a crash, change nothing. Where reports differ, the greatest text wins over the others and over
-- none. Until parts are merged there may be several rows: read the view current_push_interactions.
CREATE TABLE IF NOT EXISTS push_interactions
(
    source_id       LowCardinality(String)  COMMENT 'Source that the notification was sent for, from its token',
    campaign_id     LowCardinality(String)  COMMENT 'Campaign, from the token',
    notification_id String                  COMMENT 'The notification, from the token' CODEC(ZSTD(1)),
    interaction     LowCardinality(String)  COMMENT 'delivered, clicked, closed, failed or opened',
    variation_id    SimpleAggregateFunction(max, String) COMMENT 'Variation of the campaign, from the token' CODEC(ZSTD(1)),
    profile_id      SimpleAggregateFunction(max, String) COMMENT 'Profile that it was sent to, from the token' CODEC(ZSTD(1)),
    channel         SimpleAggregateFunction(max, String) COMMENT 'How it went out, from the token: web-push' CODEC(ZSTD(1)),
    provider        SimpleAggregateFunction(max, String) COMMENT 'Who carried it, from the token: fcm' CODEC(ZSTD(1)),
    issued_at       SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'When the token was made' CODEC(DoubleDelta, ZSTD(1)),
    occurred_at     SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'When it happened first: never before the token was made, nor after it was reported' CODEC(DoubleDelta, ZSTD(1)),
    url             SimpleAggregateFunction(max, String) COMMENT 'Where the click led, empty if no report says' CODEC(ZSTD(1)),
    button          SimpleAggregateFunction(max, Nullable(UInt8)) COMMENT 'What was tapped: 0 the body, 1 and 2 the buttons; NULL if no report says' CODEC(ZSTD(1)),
    action_id       SimpleAggregateFunction(max, String) COMMENT 'Id of the tapped action button, empty if no report says' CODEC(ZSTD(1)),
    reason          SimpleAggregateFunction(max, String) COMMENT 'Why it failed, empty if no report says' CODEC(ZSTD(1)),
    user_id         SimpleAggregateFunction(max, String) COMMENT 'userId, empty if no report says' CODEC(ZSTD(1)),
    anonymous_id    SimpleAggregateFunction(max, String) COMMENT 'anonymousId, empty if no report says' CODEC(ZSTD(1)),
    reported_by     SimpleAggregateFunction(groupUniqArrayArray, Array(String)) COMMENT 'The ways by which it was reported: callback, event' CODEC(ZSTD(1)),
    request_id      SimpleAggregateFunction(min, UUID) COMMENT 'X-Request-Id of one of its reports' CODEC(ZSTD(1)),
    received_at     SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'Arrival of its first report at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    stored_at       SimpleAggregateFunction(min, DateTime64(3, 'UTC')) DEFAULT now64(3) COMMENT 'Insertion of its first report into this table' CODEC(DoubleDelta, ZSTD(1)),
    kafka_partition SimpleAggregateFunction(min, UInt16) COMMENT 'Where its first report lies in Kafka; all of a notification are in one partition' CODEC(ZSTD(1)),
    kafka_offset    SimpleAggregateFunction(min, UInt64) COMMENT 'Where its first report lies in Kafka' CODEC(ZSTD(1)),
    kafka_timestamp SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'When Kafka took its first report' CODEC(DoubleDelta, ZSTD(1)),
    people          SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) MATERIALIZED arrayMap(id -> sipHash64(id.1, id.2), arrayFilter(id -> id.2 != '',
        arrayDistinct([('user', profile_id), ('user', user_id), ('anonymous', anonymous_id)]))) COMMENT 'Whom it was sent to and who reported it: as identity of events, hashes of profile_id and user_id, and of anonymous_id' CODEC(ZSTD(1)),
    last_received_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) MATERIALIZED received_at COMMENT 'Arrival of its last report at the gateway' CODEC(DoubleDelta, ZSTD(1)),
    last_stored_at  SimpleAggregateFunction(max, DateTime64(3, 'UTC')) MATERIALIZED stored_at COMMENT 'Insertion of its last report into this table' CODEC(DoubleDelta, ZSTD(1)),
    -- The notifications of one person: see user_timeline.
    INDEX people_bloom people TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX stored_at_minmax stored_at TYPE minmax GRANULARITY 1,
    -- One row per source and part: see freshness. The same before and after a merge, as the first report's times are not.
    PROJECTION newest (SELECT source_id, max(last_received_at), max(last_stored_at) GROUP BY source_id)
)
ENGINE = AggregatingMergeTree
ORDER BY (source_id, campaign_id, notification_id, interaction)
SETTINGS non_replicated_deduplication_window = 10000, deduplicate_merge_projection_mode = 'rebuild';

-- One row per notification and interaction, merged or not. Conditions on source_id, campaign_id, notification_id and
-- interaction use the order of the table.
CREATE VIEW IF NOT EXISTS current_push_interactions AS
SELECT
    source_id,
    campaign_id,
    notification_id,
    interaction,
    variation_id,
    profile_id,
    channel,
    provider,
    issued_at,
    occurred_at,
    url,
    button,
    action_id,
    reason,
    user_id,
    anonymous_id,
    arraySort(reported_by) AS reported_by,
    request_id,
    received_at,
    stored_at,
    kafka_partition,
    kafka_offset,
    kafka_timestamp
FROM push_interactions FINAL;

-- Notifications by what happened to them on each day (UTC): exact, each counted once. Not every device tells that it
-- showed a notification (iOS only in the foreground), so `reached` are those with any sign of it: delivered, clicked,
-- closed or opened, on the day of the first. The rates of a day are NULL where nothing is to be divided by; for the rates
-- of several days divide their sums.
CREATE VIEW IF NOT EXISTS push_campaign_stats AS
SELECT
    source_id,
    campaign_id,
    variation_id,
    channel,
    provider,
    arrayJoin(arrayFilter(one -> one != toDate(0), arrayDistinct([reached_on, delivered_on, clicked_on, closed_on, failed_on, opened_on]))) AS day,
    countIf(day = reached_on) AS reached,
    countIf(day = delivered_on) AS delivered,
    countIf(day = clicked_on) AS clicked,
    countIf(day = closed_on) AS closed,
    countIf(day = failed_on) AS failed,
    countIf(day = opened_on) AS opened,
    reached / nullIf(reached + failed, 0) AS delivery_rate,
    clicked / nullIf(reached, 0) AS click_rate,
    closed / nullIf(reached, 0) AS close_rate,
    failed / nullIf(reached + failed, 0) AS failure_rate,
    opened / nullIf(reached, 0) AS open_rate
FROM
(
    -- Merged here, and so read without FINAL: of several rows of one interaction the first moment counts.
    SELECT
        source_id,
        campaign_id,
        notification_id,
        max(variation_id) AS variation_id,
        max(channel) AS channel,
        max(provider) AS provider,
        toDate(minIf(occurred_at, interaction != 'failed')) AS reached_on,
        toDate(minIf(occurred_at, interaction = 'delivered')) AS delivered_on,
        toDate(minIf(occurred_at, interaction = 'clicked')) AS clicked_on,
        toDate(minIf(occurred_at, interaction = 'closed')) AS closed_on,
        toDate(minIf(occurred_at, interaction = 'failed')) AS failed_on,
        toDate(minIf(occurred_at, interaction = 'opened')) AS opened_on
    FROM push_interactions
    GROUP BY source_id, campaign_id, notification_id
)
GROUP BY source_id, campaign_id, variation_id, channel, provider, day
SETTINGS optimize_aggregation_in_order = 1;
