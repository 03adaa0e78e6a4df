-- Who comes again: retention(source = 'AbCdEf123456', from = '2026-03-01', to = '2026-04-01'). Of the people whose first day in
-- the range is first_day, so many have an event days_later days after it; days_later 0 is all of them.
-- Days are gathered by id first, as in `sessions`: there are far fewer ids than events to look people up for. A copy of a
-- message lies on the day of the message, or FINAL keeps both: a set of whole days is the same without FINAL. On a day that
-- the range cuts, a copy may lie on the other side of the cut, so those two are read with it.
-- Days are bits of numbers, which need no memory of their own for each id: one number for up to 64 days, one for each 64 of
-- more. People with the same days are unfolded once.
CREATE VIEW IF NOT EXISTS retention AS
WITH
    {from:DateTime64(3, 'UTC')} AS since,
    {to:DateTime64(3, 'UTC')} AS until,
    toDateTime64(toDate32(since), 3, 'UTC') AS since_day,
    if(since = since_day, since, since_day + INTERVAL 1 DAY) AS whole_from,
    greatest(whole_from, toDateTime64(toDate32(until), 3, 'UTC')) AS whole_to,
    dateDiff('day', since, until) < 64 AS is_short,
    links AS
    (
        SELECT sipHash64('anonymous', anonymous_id) AS identity, sipHash64('user', user_id) AS person
        FROM identity_links
        WHERE source_id = {source:String}
    ),
    visits AS
    (
        SELECT identity, toUInt16(dateDiff('day', since, timestamp)) AS day
        FROM events
        WHERE source_id = {source:String} AND timestamp >= whole_from AND timestamp < whole_to
        UNION ALL
        SELECT identity, toUInt16(dateDiff('day', since, timestamp)) AS day
        FROM events FINAL
        WHERE source_id = {source:String}
            AND ((timestamp >= since AND timestamp < least(whole_from, until)) OR (timestamp >= whole_to AND timestamp < until))
    ),
    patterns AS
    (
        SELECT bitPositionsToArray(days) AS days, people
        FROM
        (
            SELECT days, count() AS people
            FROM
            (
                SELECT groupBitOr(ids.days) AS days
                FROM (SELECT identity, groupBitOr(bitShiftLeft(toUInt64(1), day)) AS days FROM visits WHERE is_short GROUP BY identity) AS ids
                LEFT ANY JOIN links ON links.identity = ids.identity
                GROUP BY if(links.person != 0, links.person, ids.identity)
            )
            GROUP BY days
        )
        UNION ALL
        SELECT days, 1 AS people
        FROM
        (
            SELECT arraySort(groupUniqArrayArray(arrayMap(bit -> toUInt8(bit) + ids.span * 64, bitPositionsToArray(ids.days)))) AS days
            FROM
            (
                SELECT identity, intDiv(day, 64) AS span, groupBitOr(bitShiftLeft(toUInt64(1), day % 64)) AS days
                FROM visits
                WHERE NOT is_short
                GROUP BY identity, span
            ) AS ids
            LEFT ANY JOIN links ON links.identity = ids.identity
            GROUP BY if(links.person != 0, links.person, ids.identity)
        )
    )
SELECT
    {source:String} AS source_id,
    toDate(since) + days[1] AS first_day,
    toUInt16(day - days[1]) AS days_later,
    sum(people) AS people
FROM patterns
ARRAY JOIN days AS day
GROUP BY first_day, days_later
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1;
