import { clickhouseVariables } from '@sluice/clickhouse';
import { blockVariables, kafkaVariables } from '@sluice/kafka';
import { privacyVariables } from '@sluice/privacy';
import { positiveInteger, serviceVariables } from '@sluice/service';

export const trackingVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...blockVariables,
  ...privacyVariables,
  ...clickhouseVariables,
  CANARY_SETTLED_MS: positiveInteger({
    default: 300_000,
    desc: 'Time that probes of the canary must have been stored before they are judged: longer than a replica of ClickHouse is behind',
  }),
};
