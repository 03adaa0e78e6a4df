import { clickhouseVariables } from '@sluice/clickhouse';
import { blockVariables, kafkaVariables } from '@sluice/kafka';
import { serviceVariables } from '@sluice/service';

export const catalogVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...blockVariables,
  // Of a feed that is imported slowly, blocks of a second cost ClickHouse five times as much per row:
  // docs/decisions/0121-blocks-of-the-catalog.md.
  BLOCK_MAX_AGE_MS: { ...blockVariables.BLOCK_MAX_AGE_MS, default: 5_000 },
  ...clickhouseVariables,
};
