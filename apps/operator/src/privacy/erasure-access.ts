import { Injectable } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import {
  erasureVariables,
  type ErasureResources,
  OperationError,
  runWithErasures,
  withKafka,
  withSources,
} from '@sluice/operations';
import { privacyVariables } from '@sluice/privacy';
import { metricsUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { splitUrls } from '../status/metrics-urls.js';
import { type ProcessOptions } from './person-options.js';

const sourcesLimitMs = 20_000;

/** Opens the erasures for one command. */
@Injectable()
export class ErasureAccess {
  constructor(private readonly connection: Connection) {}

  use<T>({ gateway, consumer }: ProcessOptions, work: (resources: ErasureResources) => Promise<T>): Promise<T> {
    const variables = this.connection.read({
      ...kafkaVariables,
      ...clickhouseVariables,
      ...metricsUrlVariables,
      ...privacyVariables,
      ...erasureVariables,
    });
    const { PRIVACY_KEY, PRIVACY_AD_REQUEST_PATHS, PRIVACY_BACKUP_DAYS, PRIVACY_VERIFY_AFTER_SECONDS } = variables;
    const { GATEWAY_METRICS_URLS, CONSUMER_METRICS_URLS } = variables;
    return runWithErasures(
      {
        config: variables,
        client: 'sluice-operator',
        key: PRIVACY_KEY,
        gateways: gateway ?? splitUrls(GATEWAY_METRICS_URLS),
        consumers: consumer ?? splitUrls(CONSUMER_METRICS_URLS),
        adRequestPaths: PRIVACY_AD_REQUEST_PATHS,
        backupDays: PRIVACY_BACKUP_DAYS,
        verifyAfterMs: PRIVACY_VERIFY_AFTER_SECONDS * 1_000,
      },
      work,
    );
  }

  /** All sources that are registered. */
  sources(): Promise<string[]> {
    const config = this.connection.read(kafkaVariables);
    return withKafka(config, sourcesLimitMs, (kafka) =>
      withSources(kafka, config, (registry) => registry.list().map(({ sourceIdentifier }) => sourceIdentifier)),
    );
  }
}

/** @throws OperationError when no gateway is named: an unnamed gateway could still take messages of the person. */
export function assertGateways({ gateways }: ErasureResources): void {
  if (gateways.length > 0) return;
  throw new OperationError('name every gateway: --gateway http://host:9000/metrics, or GATEWAY_METRICS_URLS');
}
