import { clickhouseVariables } from '@sluice/clickhouse';
import { blockVariables, kafkaVariables } from '@sluice/kafka';
import { serviceVariables } from '@sluice/service';

export const catalogVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...blockVariables,
  // Of a feed that is imported slowly, a row in a block of one second costs ClickHouse five times as much as in one of
  // five: docs/decisions/0121-fewer-inserts-of-the-catalog.md.
  BLOCK_INSERTS_PER_SECOND: { ...blockVariables.BLOCK_INSERTS_PER_SECOND, default: 3 },
  ...clickhouseVariables,
};
