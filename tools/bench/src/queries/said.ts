import { type ClickHouseClient } from '@clickhouse/client';

/** Number of events whose texts are made in advance. Every piece reuses the texts with new people and times. */
export const piece = 500_000;
export const visitLength = 8;
export const products = 200_000;
/** Number of different browser contexts. */
export const clients = 120;

/**
 * Names and properties of messages. They depend on the step of the visit and on chance; products with smaller numbers
 * are more popular. Parsing JSON is most of the work of an INSERT, so it is done once.
 */
const said = `INSERT INTO said
WITH
    {seed:UInt64} AS seed,
    number % ${visitLength} AS step,
    cityHash64(intDiv(number, ${visitLength}), seed, 'said') AS luck,
    cityHash64(number, seed, 'said') AS dice,
    luck % 100 AS will,
    multiIf(
        step = 0, 'page_viewed', step = 1, 'search', step IN (2, 3, 4), 'product_viewed',
        step = 5 AND will < 40, 'product_added', step = 6 AND will < 20, 'checkout_started', step = 7 AND will < 12, 'order_completed',
        step = 6, 'product_viewed', dice % 3 = 0, 'category_viewed', 'page_viewed') AS name,
    toUInt64(pow((intDiv(dice, 11) % 1000003) / 1000003, 3) * ${products}) AS product,
    ((product * 31) % 20000) / 100 AS price,
    ['shoes', 'kitchen', 'garden', 'books', 'toys', 'audio'][1 + dice % 6] AS category
SELECT
    number, name,
    multiIf(
        name = 'page_viewed', concat('{"path":"/', category, '/', toString(dice % 997), '","title":"Shop ', toString(dice % 97), '","referrer":"https://search.example.com/"}'),
        name = 'category_viewed', concat('{"category":"', category, '","position":', toString(dice % 40), '}'),
        name = 'search', concat('{"query":"', category, ' ', toString(dice % 300), '","results":', toString(dice % 240), ',"filters":{"brand":["b', toString(dice % 50), '"],"inStock":true}}'),
        name = 'order_completed', concat('{"order_id":"o-', toString(number), '","total":', toString(price * (1 + dice % 3)), ',"currency":"EUR","items":[{"product_id":"p-', toString(product), '","quantity":', toString(1 + dice % 3), '}]}'),
        concat('{"product_id":"p-', toString(product), '","name":"Something nice ', toString(product % 1000), '","price":', toString(price), ',"currency":"EUR","quantity":', toString(1 + dice % 3), ',"in_stock":', if(dice % 5 = 0, 'false', 'true'), '}'))::JSON(max_dynamic_paths = 256)
FROM numbers(${piece})`;

const contexts = `INSERT INTO contexts
SELECT number, concat('{"locale":"', ['de-DE', 'en-GB', 'fr-FR'][1 + number % 3], '","timezone":"Europe/Berlin","screen":{"width":1920,"height":1080},"userAgent":"agent ', toString(number % 40), '"}')::JSON(max_dynamic_paths = 128)
FROM numbers(${clients})`;

export async function makeSaid(client: ClickHouseClient, seed: number): Promise<void> {
  await client.command({
    query:
      'CREATE TABLE said (place UInt64, name LowCardinality(String), properties JSON(max_dynamic_paths = 256)) ENGINE = Memory',
  });
  await client.command({
    query: 'CREATE TABLE contexts (client UInt8, context JSON(max_dynamic_paths = 128)) ENGINE = Memory',
  });
  await client.command({ query: said, query_params: { seed }, clickhouse_settings: { max_threads: 1 } });
  await client.command({ query: contexts });
}

export async function dropSaid(client: ClickHouseClient): Promise<void> {
  for (const table of ['said', 'contexts']) await client.command({ query: `DROP TABLE ${table}` });
}
