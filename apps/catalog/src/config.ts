import { clickhouseVariables } from '@sluice/clickhouse';
import { blockVariables, kafkaVariables } from '@sluice/kafka';
import { serviceVariables } from '@sluice/service';

export const catalogVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...blockVariables,
  // Blocks of one second of a feed that is imported slowly cost ClickHouse five times as much for each row as blocks of
  // five: docs/decisions/0121-fewer-inserts-of-the-catalog.md.
  BLOCK_INSERTS_PER_SECOND: { ...blockVariables.BLOCK_INSERTS_PER_SECOND, default: 3 },
  ...clickhouseVariables,
};
