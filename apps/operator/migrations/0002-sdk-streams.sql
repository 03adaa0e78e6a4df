-- What arrived of each stream of an SDK, a page, worker or process that numbers its messages from 0:
-- sdk_streams(source = 'AbCdEf123456', from = '2026-03-01', to = '2026-04-01') has the streams whose first message arrived
-- in the range, each with all that arrived of it since. A week before `from` is read too, to leave out what had begun.
-- By arrival and not by `timestamp`, which is the client's: a message with a wrong time would be missed and look like a gap.
-- Copies of a message share message_id and count once, with no need of FINAL.
CREATE VIEW IF NOT EXISTS sdk_streams AS
SELECT
    {source:String} AS source_id,
    device,
    stream,
    argMax(name, seq) AS sdk_name,
    argMax(version, seq) AS sdk_version,
    min(received_at) AS first_received,
    max(received_at) AS last_received,
    min(seq) AS first_seq,
    max(seq) AS last_seq,
    uniqExact(seq) AS messages,
    toUInt64(max(seq) + 1 - uniqExact(seq)) AS gaps,
    toUInt64(uniqExact(message_id) - uniqExact(seq)) AS doubled,
    max(lost) AS lost
FROM
(
    SELECT
        message_id,
        received_at,
        assumeNotNull(context.sdk.device.:String) AS device,
        assumeNotNull(context.sdk.stream.:String) AS stream,
        assumeNotNull(context.sdk.seq.:Int64) AS seq,
        ifNull(context.sdk.lost.:Int64, 0) AS lost,
        ifNull(context.sdk.name.:String, '') AS name,
        ifNull(context.sdk.version.:String, '') AS version
    FROM events
    WHERE source_id = {source:String} AND received_at >= {from:DateTime64(3, 'UTC')} - INTERVAL 7 DAY
        AND context.sdk.device.:String IS NOT NULL AND context.sdk.stream.:String IS NOT NULL AND context.sdk.seq.:Int64 >= 0
    UNION ALL
    SELECT
        message_id,
        received_at,
        assumeNotNull(context.sdk.device.:String),
        assumeNotNull(context.sdk.stream.:String),
        assumeNotNull(context.sdk.seq.:Int64),
        ifNull(context.sdk.lost.:Int64, 0),
        ifNull(context.sdk.name.:String, ''),
        ifNull(context.sdk.version.:String, '')
    FROM identifies
    WHERE source_id = {source:String} AND received_at >= {from:DateTime64(3, 'UTC')} - INTERVAL 7 DAY
        AND context.sdk.device.:String IS NOT NULL AND context.sdk.stream.:String IS NOT NULL AND context.sdk.seq.:Int64 >= 0
)
GROUP BY device, stream
HAVING first_received >= {from:DateTime64(3, 'UTC')} AND first_received < {to:DateTime64(3, 'UTC')};
