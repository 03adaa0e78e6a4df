import { type RightsApp } from './examination.js';

const appendedTo = (table: string): string => `SELECT, INSERT ON sluice.${table}`;
const catalogTables = ['sellers', 'products', 'product_variants', 'categories', 'general_entities'];
const ofConsumers = ['SELECT ON sluice.schema_migrations', 'SELECT ON system.detached_parts'];

/** Rights that each app needs in ClickHouse, as `GRANT` and `CHECK GRANT` take them: the statements of docs/rights.md. */
export const appRights: Readonly<Record<RightsApp, readonly string[]>> = {
  tracking: [
    ...['events', 'identifies', 'ad_requests', 'refused_messages', 'refused_requests', 'operator_actions'].map(
      appendedTo,
    ),
    ...['event_hours', 'source_hours', 'property_hours', 'event_changes', 'watch_runs'].map(appendedTo),
    ...['canary_probes', 'canary_series', 'canary_faults'].map(appendedTo),
    'SELECT ON sluice.event_mutes',
    'INSERT ON sluice.users',
    appendedTo('user_agents'),
    'SHOW TABLES ON sluice.users_from_identifies',
    ...ofConsumers,
  ],
  catalog: [
    ...catalogTables.map(appendedTo),
    appendedTo('catalog_messages'),
    appendedTo('variant_states'),
    ...catalogTables.map((table) => `SHOW TABLES ON sluice.catalog_messages_from_${table}`),
    'SHOW TABLES ON sluice.variant_states_from_product_variants',
    ...ofConsumers,
  ],
  'push-interaction': [...['push_interactions', 'push_devices'].map(appendedTo), ...ofConsumers],
  operator: [
    'CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP VIEW, ALTER TABLE, SELECT, INSERT ON sluice.*',
    'DROP TABLE ON sluice.doctor_*',
    'TABLE ENGINE ON MergeTree',
    'TABLE ENGINE ON ReplacingMergeTree',
    'TABLE ENGINE ON AggregatingMergeTree',
    ...['tables', 'parts', 'mutations', 'projections', 'projection_parts', 'disks'].map(
      (name) => `SELECT ON system.${name}`,
    ),
    'CREATE TEMPORARY TABLE ON *.*',
  ],
  console: ['SELECT ON sluice.*', ...['tables', 'columns', 'parts'].map((name) => `SELECT ON system.${name}`)],
};
