import { type ClickHouseClient } from '@clickhouse/client';

/** Number of events whose texts are made in advance. Every piece reuses the texts with new people and times. */
export const eventsPerPiece = 500_000;
export const visitLength = 8;
export const productCount = 200_000;
/** Number of different browser contexts. */
export const clientCount = 120;

/**
 * Names and properties of messages. They depend on the step of the visit and on chance; products with smaller numbers
 * are more popular. Parsing JSON is most of the work of an INSERT, so it is done once.
 */
const insertTemplates = `INSERT INTO message_templates
WITH
    {seed:UInt64} AS seed,
    number % ${visitLength} AS step,
    cityHash64(intDiv(number, ${visitLength}), seed, 'said') AS visit_hash,
    cityHash64(number, seed, 'said') AS message_hash,
    visit_hash % 100 AS visit_percent,
    multiIf(
        step = 0, 'page_viewed', step = 1, 'search', step IN (2, 3, 4), 'product_viewed',
        step = 5 AND visit_percent < 40, 'product_added', step = 6 AND visit_percent < 20, 'checkout_started', step = 7 AND visit_percent < 12, 'order_completed',
        step = 6, 'product_viewed', message_hash % 3 = 0, 'category_viewed', 'page_viewed') AS name,
    toUInt64(pow((intDiv(message_hash, 11) % 1000003) / 1000003, 3) * ${productCount}) AS product,
    ((product * 31) % 20000) / 100 AS price,
    ['shoes', 'kitchen', 'garden', 'books', 'toys', 'audio'][1 + message_hash % 6] AS category
SELECT
    number, name,
    multiIf(
        name = 'page_viewed', concat('{"path":"/', category, '/', toString(message_hash % 997), '","title":"Shop ', toString(message_hash % 97), '","referrer":"https://search.example.com/"}'),
        name = 'category_viewed', concat('{"category":"', category, '","position":', toString(message_hash % 40), '}'),
        name = 'search', concat('{"query":"', category, ' ', toString(message_hash % 300), '","results":', toString(message_hash % 240), ',"filters":{"brand":["b', toString(message_hash % 50), '"],"inStock":true}}'),
        name = 'order_completed', concat('{"order_id":"o-', toString(number), '","total":', toString(price * (1 + message_hash % 3)), ',"currency":"EUR","items":[{"product_id":"p-', toString(product), '","quantity":', toString(1 + message_hash % 3), '}]}'),
        concat('{"product_id":"p-', toString(product), '","name":"Something nice ', toString(product % 1000), '","price":', toString(price), ',"currency":"EUR","quantity":', toString(1 + message_hash % 3), ',"in_stock":', if(message_hash % 5 = 0, 'false', 'true'), '}'))::JSON(max_dynamic_paths = 256)
FROM numbers(${eventsPerPiece})`;

const insertContexts = `INSERT INTO contexts
SELECT number, concat('{"locale":"', ['de-DE', 'en-GB', 'fr-FR'][1 + number % 3], '","timezone":"Europe/Berlin","screen":{"width":1920,"height":1080},"userAgent":"agent ', toString(number % 40), '"}')::JSON(max_dynamic_paths = 128)
FROM numbers(${clientCount})`;

export async function createMessageTemplates(client: ClickHouseClient, seed: number): Promise<void> {
  await client.command({
    query:
      'CREATE TABLE message_templates (place UInt64, name LowCardinality(String), properties JSON(max_dynamic_paths = 256)) ENGINE = Memory',
  });
  await client.command({
    query: 'CREATE TABLE contexts (client UInt8, context JSON(max_dynamic_paths = 128)) ENGINE = Memory',
  });
  await client.command({ query: insertTemplates, query_params: { seed }, clickhouse_settings: { max_threads: 1 } });
  await client.command({ query: insertContexts });
}

export async function dropMessageTemplates(client: ClickHouseClient): Promise<void> {
  for (const table of ['message_templates', 'contexts']) await client.command({ query: `DROP TABLE ${table}` });
}
