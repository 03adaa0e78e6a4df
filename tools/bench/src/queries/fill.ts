import { type ClickHouseClient } from '@clickhouse/client';
import { progress } from '../progress.js';

/** What is filled in; all of it follows from the seed, but for the times, which end now. */
export interface Filling {
  readonly events: number;
  readonly seed: number;
}

const chunk = 1_000_000;
const visitLength = 8;
const days = 90;

/** The largest one is asked. Of 100 events it has 40, the others 35 and 25. */
export const sources = ['BenchShop001', 'BenchShop002', 'BenchShop003'] as const;
export const catalogSource = 'BenchCatalog';
export const products = 200_000;

/**
 * Ninety days of visits that end now, eight events each, in the order in which they would arrive. Few people come
 * often and most seldom; six of ten have an account, and sign in after the fifth event. A product is the more wanted
 * the smaller its number. What a message is called and says hangs on its place in the visit and on luck.
 */
const visits = `
    {seed:UInt64} AS seed,
    intDiv({total:UInt64}, ${visitLength}) AS all_visits,
    cityHash64(visit, seed) AS luck,
    luck % 100 AS share,
    multiIf(share < 40, '${sources[0]}', share < 75, '${sources[1]}', '${sources[2]}') AS source,
    toUInt64(pow((intDiv(luck, 1000) % 1000003) / 1000003, 2) * intDiv({total:UInt64}, 60)) AS person,
    person % 10 < 6 AS has_account,
    concat('anon-', toString(person), '-', toString(intDiv(luck, 17) % 2)) AS device,
    {until:DateTime64(3, 'UTC')} - toIntervalDay(${days})
        + toIntervalMillisecond(toUInt64(visit / all_visits * (${days} * 86400000 - 2400000)) + intDiv(luck, 7) % 1800000) AS begun`;

const messageId = (at: string, hash: string): string => `toUUID(concat(
    substring(lower(hex(toUInt64(toUnixTimestamp64Milli(${at})))), 1, 8), '-', substring(lower(hex(toUInt64(toUnixTimestamp64Milli(${at})))), 9, 4),
    '-7', substring(leftPad(lower(hex(${hash})), 16, '0'), 1, 3), '-8', substring(leftPad(lower(hex(${hash})), 16, '0'), 4, 3),
    '-', substring(leftPad(lower(hex(cityHash64(${hash}))), 16, '0'), 1, 12)))`;

const eventsOf = `INSERT INTO events (source_id, event, timestamp, user_id, anonymous_id, message_id, properties, context, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    intDiv(number, ${visitLength}) AS visit,
    number % ${visitLength} AS step,
    ${visits},
    cityHash64(number, seed) AS dice,
    begun + toIntervalMillisecond(step * 41000 + dice % 30000) AS at,
    at + toIntervalMillisecond(50 + dice % 1500) AS arrived,
    intDiv(luck, 13) % 100 AS will,
    multiIf(
        step = 0, 'page_viewed', step = 1, 'search', step IN (2, 3, 4), 'product_viewed',
        step = 5 AND will < 40, 'product_added', step = 6 AND will < 20, 'checkout_started', step = 7 AND will < 12, 'order_completed',
        step = 6, 'product_viewed', dice % 3 = 0, 'category_viewed', 'page_viewed') AS name,
    toUInt64(pow((intDiv(dice, 11) % 1000003) / 1000003, 3) * ${products}) AS product,
    ((product * 31) % 20000) / 100 AS price,
    ['shoes', 'kitchen', 'garden', 'books', 'toys', 'audio'][1 + dice % 6] AS category,
    multiIf(
        name = 'page_viewed', concat('{"path":"/', category, '/', toString(dice % 997), '","title":"Shop ', toString(dice % 97), '","referrer":"https://search.example.com/"}'),
        name = 'category_viewed', concat('{"category":"', category, '","position":', toString(dice % 40), '}'),
        name = 'search', concat('{"query":"', category, ' ', toString(dice % 300), '","results":', toString(dice % 240), ',"filters":{"brand":["b', toString(dice % 50), '"],"inStock":true}}'),
        name = 'order_completed', concat('{"order_id":"o-', toString(number), '","total":', toString(price * (1 + dice % 3)), ',"currency":"EUR","items":[{"product_id":"p-', toString(product), '","quantity":', toString(1 + dice % 3), '}]}'),
        concat('{"product_id":"p-', toString(product), '","name":"Something nice ', toString(product % 1000), '","price":', toString(price), ',"currency":"EUR","quantity":', toString(1 + dice % 3), ',"in_stock":', if(dice % 5 = 0, 'false', 'true'), '}')) AS said
SELECT
    source, name, at, if(has_account AND step >= 5, concat('user-', toString(person)), ''), device,
    ${messageId('arrived', 'dice')},
    said::JSON(max_dynamic_paths = 256),
    concat('{"locale":"', ['de-DE', 'en-GB', 'fr-FR'][1 + person % 3], '","timezone":"Europe/Berlin","screen":{"width":1920,"height":1080},"userAgent":"agent ', toString(person % 40), '"}')::JSON(max_dynamic_paths = 128),
    ${messageId('at', 'luck')}, arrived, arrived + toIntervalMillisecond(200 + dice % 900),
    cityHash64(person) % 12, number, arrived + toIntervalMillisecond(3)
FROM numbers({from:UInt64}, {count:UInt64})`;

/** One visit in ten of those who have an account says who they are. */
const identifiesOf = `INSERT INTO identifies (source_id, user_id, anonymous_id, message_id, timestamp, traits, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    number AS visit,
    ${visits},
    begun + toIntervalMillisecond(200000) AS at,
    at + toIntervalMillisecond(60) AS arrived
SELECT
    source, concat('user-', toString(person)), device, ${messageId('arrived', 'luck')}, at,
    concat('{"plan":"', ['free', 'pro', 'team'][1 + person % 3], '","city":"City ', toString(person % 500), '","age":', toString(18 + person % 60), ',"newsletter":', if(luck % 2 = 0, 'true', 'false'), '}')::JSON(max_dynamic_paths = 256),
    ${messageId('at', 'luck')}, arrived, arrived + toIntervalMillisecond(500), cityHash64(person) % 12, number, arrived
FROM numbers({from:UInt64}, {count:UInt64})
WHERE has_account AND intDiv(luck, 19) % 10 = 0`;

/** One ad request for every visit. */
const adRequestsOf = `INSERT INTO ad_requests (source_id, endpoint, message_id, body, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    number AS visit,
    ${visits},
    begun + toIntervalMillisecond(1000) AS arrived
SELECT
    source, if(luck % 3 = 0, 'sponsoredAd', 'ad'), ${messageId('arrived', 'luck')},
    concat('{"sourceIdentifier":"', source, '","placement":"product-page","productId":"p-', toString(luck % ${products}), '"}')::JSON(max_dynamic_paths = 256),
    ${messageId('arrived', 'luck')}, arrived, arrived + toIntervalMillisecond(500), cityHash64(source) % 12, number, arrived
FROM numbers({from:UInt64}, {count:UInt64})`;

/** Fills `events`, `identifies` and `ad_requests`, piece by piece. */
export async function fillEvents(client: ClickHouseClient, { events, seed }: Filling): Promise<void> {
  const until = new Date().toISOString().slice(0, -1);
  const insert = (query: string, from: number, count: number) =>
    client.command({
      query,
      query_params: { total: events, seed, until, from, count },
      clickhouse_settings: {
        max_insert_threads: '1',
        min_insert_block_size_rows: String(chunk),
        max_execution_time: 0,
      },
    });
  for (let from = 0; from < events; from += chunk) {
    await insert(eventsOf, from, Math.min(chunk, events - from));
    progress(`  ${Math.min(from + chunk, events).toLocaleString('en-US')} events`);
  }
  const visitCount = Math.floor(events / visitLength);
  for (let from = 0; from < visitCount; from += chunk) {
    await insert(identifiesOf, from, Math.min(chunk, visitCount - from));
    await insert(adRequestsOf, from, Math.min(chunk, visitCount - from));
  }
}
