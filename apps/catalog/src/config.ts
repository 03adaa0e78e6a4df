import { clickhouseVariables } from '@sluice/clickhouse';
import { blockVariables, kafkaVariables } from '@sluice/kafka';
import { serviceVariables } from '@sluice/service';

export const catalogVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...blockVariables,
  ...clickhouseVariables,
};
