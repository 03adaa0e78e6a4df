export { type AppendedBlock, BlockWriter } from './block-writer.js';
export { createClickHouse } from './client.js';
export { ClickHouseModule } from './clickhouse.module.js';
export { type ClickHouseConfig, clickhouseVariables } from './config.js';
export { type Row, type RowBlock } from './encode-rows.js';
export { migrate, type Migration, MigrationError, readMigrations } from './migrations.js';
