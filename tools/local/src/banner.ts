import { type LocalEntry } from './local-file.js';

/** Shows addresses, a first event and a first query. Both commands can be pasted. */
export function banner(local: LocalEntry, dataDir: string): string {
  const { gateway, tracking, catalog, pushInteraction, kafka, clickhouse, source } = local;
  const query = `SELECT event, user_id, properties, timestamp, stored_at FROM ${clickhouse.database}.events ORDER BY stored_at DESC LIMIT 5 FORMAT Vertical`;
  return `
Sluice is running.

  Gateway      ${gateway.url}
  ClickHouse   ${clickhouse.url} (database ${clickhouse.database})
  Kafka        ${kafka.brokers.join(', ')}
  Management   gateway ${gateway.managementUrl}, tracking ${tracking.url},
               catalog ${catalog.url}, push-interaction ${pushInteraction.url}
  Data, logs   ${dataDir}

Send an event:

  curl -X POST ${gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/track \\
    -H 'Authorization: Bearer ${source.apiKey}' -H 'Content-Type: application/json' \\
    -d '{"userId":"user-1","event":"product_viewed","properties":{"sku":"A-100","price":19.9}}'

See it in ClickHouse:

  curl ${clickhouse.url} --data-binary '${query}'

Stop with Ctrl-C.
`;
}
