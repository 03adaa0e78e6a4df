import { ConfigError, readConfig } from '@sluice/service';
import { expect, it } from 'vitest';
import { gatewayVariables } from '../config.js';
import { dividedLimits } from './divided-limits.js';

const config = (variables: Record<string, string>) =>
  readConfig(gatewayVariables, { KAFKA_BROKERS: 'kafka:9092', ...variables });

it("gives each worker its share of the gateway's limits", () =>
  expect(dividedLimits(config({ GATEWAY_WORKERS: '3', GATEWAY_MAX_CONNECTIONS: '100' }))).toMatchObject({
    GATEWAY_MAX_CONNECTIONS: '33',
    GATEWAY_MAX_REQUESTS_IN_WORK: '1333',
    KEYLESS_MAX_REQUESTS_IN_WORK: '333',
  }));

it.each([
  ['a limit that is lower than the number of workers', { GATEWAY_MAX_CONNECTIONS: '2' }, 'GATEWAY_MAX_CONNECTIONS'],
  ['room for less than one batch in each worker', { GATEWAY_MAX_BODY_BYTES_IN_WORK: '4000000' }, 'BODY_BYTES'],
  [
    'a share of requests without a key that is as large as the share of all requests',
    { KEYLESS_MAX_REQUESTS_IN_WORK: '3', GATEWAY_MAX_REQUESTS_IN_WORK: '4' },
    'KEYLESS_MAX_REQUESTS_IN_WORK',
  ],
])('refuses %s', (_, variables, name) => {
  const divide = () => dividedLimits(config({ GATEWAY_WORKERS: '3', ...variables }));
  expect(divide).toThrow(ConfigError);
  expect(divide).toThrow(name);
});
