-- Everything a person did and was told, newest first: see 0001. `person` is a user id or, where no user has that id, an
-- anonymous id; one that is linked to a user stands for that user. A user id and an anonymous id that are the same text are
-- two people unless one is linked to the other. Links come from identity_claims, so placeholders and forgotten links make none.
DROP VIEW IF EXISTS user_timeline;
CREATE VIEW IF NOT EXISTS user_timeline AS
WITH
    -- Of identity_links, what concerns one person: asked there, the ids of all people would be put together first. A name
    -- of such a subquery is planned anew wherever it stands, but run once: each stands in one place but for the last.
    (
        SELECT count() > 0
        FROM
        (
            (SELECT 1 FROM identifies WHERE source_id = {source:String} AND identity = sipHash64('user', {person:String}) LIMIT 1)
            UNION ALL
            (SELECT 1 FROM events WHERE source_id = {source:String} AND identity = sipHash64('user', {person:String}) LIMIT 1)
            UNION ALL
            (SELECT 1 FROM push_interactions WHERE source_id = {source:String} AND has(people, sipHash64('user', {person:String})) LIMIT 1)
        )
    ) AS has_user,
    (
        SELECT
            if(is_user OR first_user = '', {person:String}, first_user) AS person_id,
            -- What is linked to them; or the id as an anonymous one, if it is neither a user nor linked to one.
            if(is_user OR first_user != '', arrayMap(link -> link.1, arrayFilter(link -> link.2 = person_id, links)), [{person:String}]) AS anonymous_ids,
            arrayPushFront(arrayMap(id -> sipHash64('anonymous', id), anonymous_ids), sipHash64('user', person_id)) AS identities
        FROM
        (
            SELECT has_user AS is_user, groupArray((anonymous_id, linked_user)) AS links, anyIf(linked_user, anonymous_id = {person:String}) AS first_user
            FROM
            (
                SELECT anonymous_id, min((said_at, user_id)).2 AS linked_user
                FROM identity_claims
                WHERE source_id = {source:String} AND anonymous_id IN (
                    SELECT anonymous_id
                    FROM identifies
                    WHERE source_id = {source:String} AND anonymous_id != '' AND identity IN (
                        -- The user of that id, and the user whom it is linked to as an anonymous one.
                        SELECT arrayJoin(users)
                        FROM
                        (
                            SELECT [sipHash64('user', {person:String}), sipHash64('user', min((said_at, user_id)).2)] AS users
                            FROM identity_claims
                            WHERE source_id = {source:String} AND anonymous_id = {person:String}
                        )
                    )
                )
                GROUP BY anonymous_id
            )
        )
    ) AS asked
SELECT source_id, asked.1 AS person_id, timestamp, kind, name, details, user_id, anonymous_id
FROM
(
    SELECT *, groupArrayIf((concat('bb_notification_', name), timestamp), is_told_by_event) OVER () AS told
    FROM
    (
        SELECT
            source_id,
            timestamp,
            'event' AS kind,
            event::String AS name,
            properties AS details,
            user_id,
            anonymous_id,
            toString(message_id) AS place,
            false AS is_told_by_event
        FROM events
        WHERE source_id = {source:String} AND identity IN asked.3
        LIMIT 1 BY message_id
        UNION ALL
        SELECT source_id, timestamp, 'identify', '', traits, user_id, anonymous_id, toString(message_id), false
        FROM identifies
        WHERE source_id = {source:String} AND identity IN asked.3
        LIMIT 1 BY message_id
        UNION ALL
        SELECT
            source_id,
            occurred_at,
            'push',
            interaction::String,
            toJSONString(mapFilter((key, value) -> value != '', map(
                'campaign_id', campaign_id::String, 'variation_id', variation_id, 'notification_id', notification_id, 'channel', channel,
                'url', url, 'action_id', action_id, 'reason', reason)))::JSON(max_dynamic_paths = 256),
            user_id,
            anonymous_id,
            concat(notification_id, interaction),
            has(reported_by, 'event')
        FROM current_push_interactions
        WHERE source_id = {source:String} AND (campaign_id, notification_id) IN (
            SELECT campaign_id, notification_id
            FROM push_interactions
            WHERE source_id = {source:String} AND hasAny(people, asked.3)
        )
    )
)
WHERE NOT (kind = 'event' AND startsWith(name, 'bb_notification_')
    AND arrayExists(report -> report.1 = name AND abs(dateDiff('second', report.2, timestamp)) <= 600, told))
ORDER BY timestamp DESC, kind, name, place
-- Whatever the reader's settings: text that looks like a date stays text.
SETTINGS input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0;
