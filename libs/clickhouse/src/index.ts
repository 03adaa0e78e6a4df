export { type AppendedBlock, BlockWriter } from './block-writer.js';
export { createClickHouse } from './client.js';
export { ClickHouseModule } from './clickhouse.module.js';
export { type ClickHouseConfig, clickhouseVariables, type TableConfig, tableVariables } from './config.js';
export { type Row, type RowBlock } from './encode-rows.js';
export { type Migration, MigrationError, readMigrations } from './migration.js';
export { migrate, type MigrationPlan, planMigrations } from './migrations.js';
export { onCluster } from './on-cluster.js';
export { type TableChange } from './table-changes.js';
