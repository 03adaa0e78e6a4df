/** An example query and what it shows. */
export interface ExampleQuery {
  readonly title: string;
  readonly sql: string;
}

/** The queries contain no double quote or dollar sign, so that they can be pasted between double quotes in a shell. */
export const exampleQueries = (sourceIdentifier: string): readonly ExampleQuery[] => [
  {
    title: 'From looking to buying, day by day',
    sql: `SELECT toDate(timestamp) AS day, uniqExact(anonymous_id) AS visitors, countIf(event = 'product_viewed') AS viewed,
       countIf(event = 'product_added') AS added, countIf(event = 'order_completed') AS orders,
       round(sumIf(accurateCastOrNull(properties.total, 'Decimal(38, 9)'), event = 'order_completed'), 2) AS turnover
FROM events WHERE source_id = '${sourceIdentifier}' AND timestamp > now() - INTERVAL 30 DAY
GROUP BY day ORDER BY day DESC LIMIT 7`,
  },
  {
    title: 'What is looked at most, with its price and stock as they are now',
    sql: `SELECT offer.name AS product, offer.brand AS brand, toFloat64(offer.price) AS now_costs, toFloat64(offer.stock) AS in_stock,
       count() AS views, uniqExact(anonymous_id) AS visitors
FROM (SELECT properties.productId::String AS product_id, anonymous_id FROM events
      WHERE source_id = '${sourceIdentifier}' AND event = 'product_viewed') AS viewed
INNER JOIN (SELECT * FROM product_offers WHERE source_id = '${sourceIdentifier}') AS offer USING (product_id)
GROUP BY ALL ORDER BY views DESC LIMIT 5`,
  },
  {
    title: 'How the push campaigns did',
    sql: `SELECT campaign_id, variation_id, sum(delivered) AS shown, sum(clicked) AS taps, sum(closed) AS dismissed,
       sum(failed) AS failures, round(taps / shown, 3) AS click_rate
FROM push_campaign_stats WHERE source_id = '${sourceIdentifier}'
GROUP BY campaign_id, variation_id ORDER BY campaign_id, variation_id LIMIT 10`,
  },
];
