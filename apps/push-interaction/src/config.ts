import { clickhouseVariables } from '@sluice/clickhouse';
import { blockVariables, kafkaVariables } from '@sluice/kafka';
import { privacyVariables } from '@sluice/privacy';
import { serviceVariables } from '@sluice/service';

export const pushInteractionVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...blockVariables,
  ...privacyVariables,
  ...clickhouseVariables,
};
