import { resolve } from 'node:path';
import { ExpectedFailure } from './expected-failure.js';

/** Settings of the local stack from the environment. Port 0 means any free port. */
export interface StackSettings {
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  readonly gatewayPort: number;
  /** Port of the console; undefined for 8070, or any free one while that is taken. */
  readonly consolePort: number | undefined;
  readonly kafkaPort: number;
  readonly clickhousePort: number;
  /** Port of the example shop. When undefined: 8090, or any free port if 8090 is taken. */
  readonly examplePort: number | undefined;
  /** A running Kafka to use instead of the embedded one. */
  readonly kafkaBrokers: readonly string[] | undefined;
  /** A running ClickHouse to use instead of the embedded one. */
  readonly clickhouseUrl: string | undefined;
  /** Push token keys to use instead of those in the data folder. */
  readonly pushTokenKeys: string | undefined;
  readonly privacyKey: string | undefined;
}

function parsePort(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new Error('must be a port number, or 0 for any free one');
  return Number(value);
}

function parseBrokers(value: string): string[] {
  const list = value.split(',').map((broker) => broker.trim());
  if (!list.every((broker) => /^[^\s:]+:\d+$/.test(broker))) throw new Error('must be a list like host:9092,host:9092');
  return list;
}

function parseHttpUrl(value: string): string {
  if (!/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')) throw new Error('must be an http(s) URL');
  return value;
}

/** @throws ExpectedFailure that names every invalid variable. */
export function readLocalSettings(environment: NodeJS.ProcessEnv): StackSettings {
  const problems: string[] = [];
  const readVariable = <T>(name: string, fallback: T, parse: (value: string) => T): T => {
    const value = environment[name];
    if (value === undefined || value === '') return fallback;
    try {
      return parse(value);
    } catch (error) {
      problems.push(`  ${name} ${(error as Error).message}; it is "${value}"`);
      return fallback;
    }
  };
  const settings: StackSettings = {
    dataDir: resolve(readVariable('SLUICE_DATA_DIR', '.data', String)),
    gatewayPort: readVariable('GATEWAY_PORT', 8080, parsePort),
    consolePort: readVariable<number | undefined>('CONSOLE_PORT', undefined, parsePort),
    kafkaPort: readVariable('KAFKA_PORT', 9092, parsePort),
    clickhousePort: readVariable('CLICKHOUSE_PORT', 8123, parsePort),
    examplePort: readVariable<number | undefined>('EXAMPLE_PORT', undefined, parsePort),
    kafkaBrokers: readVariable<string[] | undefined>('KAFKA_BROKERS', undefined, parseBrokers),
    clickhouseUrl: readVariable<string | undefined>('CLICKHOUSE_URL', undefined, parseHttpUrl),
    pushTokenKeys: readVariable<string | undefined>('PUSH_TOKEN_KEYS', undefined, String),
    privacyKey: readVariable<string | undefined>('PRIVACY_KEY', undefined, String),
  };
  if (problems.length > 0) throw new ExpectedFailure(`Invalid settings:\n${problems.join('\n')}`);
  return settings;
}
