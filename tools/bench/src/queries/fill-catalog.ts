import { type ClickHouseClient } from '@clickhouse/client';
import { catalogSource, type TableFilling, sources } from './fill.js';
import { productCount } from './message-templates.js';

const origin = 'request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp';
const arrivedAt = (moment: string): string =>
  `generateUUIDv7(), ${moment}, ${moment} + toIntervalMillisecond(500), 0, number, ${moment}`;
const values = arrivedAt('now64(3) - toIntervalHour(3)');

/** 200,000 products with two variants each, 2,000 categories and 1,000 sellers. */
const catalog = [
  `INSERT INTO sellers (source_id, seller_id, first_name, email, is_active, version, ${origin})
   SELECT '${catalogSource}', concat('s-', toString(number)), concat('Seller ', toString(number)), 'a@example.com', number % 9 != 0, 1, ${values} FROM numbers(1000)`,
  `INSERT INTO categories (source_id, category_id, name, parent_category_id, level, is_leaf, version, ${origin})
   SELECT '${catalogSource}', concat('c-', toString(number)), concat('Category ', toString(number)), if(number = 0, '', concat('c-', toString(intDiv(number, 6)))), 1, number > 300, 1, ${values} FROM numbers(2000)`,
  `INSERT INTO products (source_id, product_id, name, brand, category_id, main_image, total_stock, is_available, url, attributes, version, ${origin})
   SELECT '${catalogSource}', concat('p-', toString(number)), concat('Something nice ', toString(number % 1000)), concat('Brand ', toString(number % 700)), concat('c-', toString(number % 2000)), concat('https://cdn.example.com/', toString(number)), number % 90, number % 7 != 0, concat('https://shop.example.com/', toString(number)), concat('{"colour":"', ['red', 'blue'][1 + number % 2], '"}')::JSON(max_dynamic_paths = 256), 1, ${values} FROM numbers(${productCount})`,
  `INSERT INTO product_variants (source_id, variant_id, product_id, seller_id, price, stock, is_available, is_buy_box_winner, version, ${origin})
   SELECT '${catalogSource}', concat('v-', toString(number)), concat('p-', toString(intDiv(number, 2))), concat('s-', toString(number % 1000)), number % 9000 / 100, number % 40, number % 5 != 0, number % 2 = 0, 1, ${values} FROM numbers(${2 * productCount})`,
];

/** One notification for every hundred events: most are shown, one in eight is clicked. */
const campaign = `
INSERT INTO push_interactions (source_id, campaign_id, notification_id, interaction, variation_id, profile_id, channel, provider, issued_at, occurred_at, user_id, reported_by, ${origin})
WITH cityHash64(number, {seed:UInt64}) AS hash, now64(3) - toIntervalSecond(86400 * 20 + hash % 86400) AS at
SELECT '${sources[0]}', concat('campaign-', toString(hash % 5)), concat('n-', toString(number)), arrayJoin(if(hash % 8 = 0, ['delivered', 'clicked'], [if(hash % 50 = 1, 'failed', 'delivered')])) AS what,
    ['a', 'b'][1 + hash % 2], concat('user-', toString(number)), 'web-push', 'fcm', at, at + toIntervalMinute(what = 'clicked'), if(what = 'clicked', concat('user-', toString(number)), ''), ['callback'], ${arrivedAt('at')}
FROM numbers({notifications:UInt64})`;

const variants = 2 * productCount;
const offerDays = 90;

/**
 * A feed of all variants, at a time of its own for each product. One of the two variants of a product has the Buy Box, in
 * turn; of one product in 33 each variant says for itself that it wins, at its own times, so that both or none can.
 */
const feedOfStates = `
INSERT INTO variant_states (source_id, variant_id, version, product_id, seller_id, price, discounted_price, stock, is_available, is_buy_box_winner, is_deleted, ${origin})
WITH {round:UInt64} AS round, number AS variant, intDiv(variant, 2) AS product, product % 33 = 0 AS is_odd,
    cityHash64(if(is_odd, variant, product), round, {seed:UInt64}) AS hash,
    now64(3) - toIntervalDay(${offerDays}) + toIntervalMillisecond(toInt64(${offerDays * 86_400_000} / {rounds:UInt64} * (round + hash % 1000 / 1000))) AS at
SELECT '${catalogSource}', concat('v-', toString(variant)), toUInt64(toUnixTimestamp64Micro(at::DateTime64(6, 'UTC'))),
    concat('p-', toString(product)), concat('s-', toString(variant % 1000)), (variant % 9000 + round) / 100,
    if(hash % 3 = 0, (variant % 9000) / 200, NULL), intDiv(hash, 7) % 40, hash % 11 != 0,
    if(is_odd, intDiv(hash, 13) % 2 = 0, cityHash64(product, intDiv(round, 4)) % 2 = variant % 2), false, ${arrivedAt('at')}
FROM numbers({count:UInt64})`;

/** Fills in states of offers, one for every ten events. */
async function fillOfferStates(client: ClickHouseClient, { events, seed }: TableFilling): Promise<void> {
  const count = Math.min(variants, Math.ceil(events / 10));
  const rounds = Math.ceil(events / 10 / count);
  for (let round = 0; round < rounds; round++)
    await client.command({ query: feedOfStates, query_params: { seed, count, round, rounds } });
}

export async function fillCatalogAndCampaign(client: ClickHouseClient, { events, seed }: TableFilling): Promise<void> {
  for (const query of catalog) await client.command({ query });
  await fillOfferStates(client, { events, seed });
  await client.command({ query: campaign, query_params: { seed, notifications: Math.floor(events / 100) } });
}
