import { type LocalEntry } from './local-file.js';
import { rowsQuery } from './rows-query.js';

/** Shows addresses, a first event, a page that sends events, and a first query. Both commands can be pasted. */
export function formatBanner(local: LocalEntry, dataDir: string, consoleLink: string): string {
  const { gateway, tracking, catalog, pushInteraction, kafka, clickhouse, shop, source } = local;
  return `
Sluice is running. Look at it in the console; the link works once, within 15 minutes:

  ${consoleLink}

  Console      ${local.console.url} (a new link: npm run -s operator -- console invite admin)
  Gateway      ${gateway.url}
  ClickHouse   ${clickhouse.url} (database ${clickhouse.database})
  Kafka        ${kafka.brokers.join(', ')}
  Management   gateway ${gateway.managementUrl}, tracking ${tracking.url},
               catalog ${catalog.url}, push-interaction ${pushInteraction.url}
  Source       ${source.sourceIdentifier} (a server's)
  Its key      ${source.apiKey}
  Data, logs   ${dataDir}

Send an event:

  curl -X POST ${gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/track \\
    -H 'Authorization: Bearer ${source.apiKey}' -H 'Content-Type: application/json' \\
    -d '{"userId":"user-1","event":"product_viewed","properties":{"sku":"A-100","price":19.9}}'

Or open a page that sends events with the Web SDK:

  ${shop.url}

See them in ClickHouse:

  curl ${clickhouse.url} --data-binary '${rowsQuery(clickhouse.database)}'

Stop with Ctrl-C.
`;
}
