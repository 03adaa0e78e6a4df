import { Injectable } from '@nestjs/common';
import { type Config, ConfigError, readConfig, type Variables } from '@sluice/service';
import { OperationError } from '@sluice/operations';
import { localVariables } from '../config.js';
import { findLocalStack, type StackAddresses, localStackFile } from './local-stack.js';

/** Finds the servers: those of a running local stack, else those that the environment names. */
@Injectable()
export class Connection {
  /** Reads only the given variables, so that a command needs no variable of a server that it does not use. */
  read<V extends Variables>(variables: V): Config<V> {
    const dataDir = localFolder();
    const stack = findLocalStack(dataDir);
    if (stack) return readConfig(variables, toEnvironment(stack));
    try {
      return readConfig(variables);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new OperationError(
        `${error.message}\nNo local stack is running (${localStackFile(dataDir)}): start it with npm start, or set the variables above.`,
      );
    }
  }

  /** The demo source of a running local stack. */
  demoSource(): StackAddresses['source'] {
    return findLocalStack(localFolder())?.source;
  }
}

function localFolder(): string {
  return readConfig(localVariables).SLUICE_DATA_DIR;
}

const toEnvironment = ({
  kafka,
  clickhouse,
  gateway,
  console: browser,
  pushTokenKeys,
  privacyKey,
  ...consumers
}: StackAddresses): NodeJS.ProcessEnv => ({
  KAFKA_BROKERS: kafka.brokers.join(','),
  CLICKHOUSE_URL: clickhouse.url,
  CLICKHOUSE_DATABASE: clickhouse.database,
  ...(gateway && { GATEWAY_URL: gateway.url, GATEWAY_PUBLIC_URL: gateway.url }),
  ...(browser && { CONSOLE_URL: browser.url }),
  ...(gateway?.managementUrl !== undefined && { GATEWAY_METRICS_URLS: `${gateway.managementUrl}/metrics` }),
  CONSUMER_METRICS_URLS: [consumers.tracking, consumers.catalog, consumers.pushInteraction]
    .flatMap((consumer) => (consumer ? [`${consumer.url}/metrics`] : []))
    .join(','),
  ...(typeof pushTokenKeys === 'string' && { PUSH_TOKEN_KEYS: pushTokenKeys }),
  ...(typeof privacyKey === 'string' && { PRIVACY_KEY: privacyKey }),
});
