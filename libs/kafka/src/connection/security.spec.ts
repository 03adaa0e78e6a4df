import { readConfig } from '@sluice/service';
import { expect, it } from 'vitest';
import { kafkaVariables } from './config.js';

const read = (environment: NodeJS.ProcessEnv) => readConfig(kafkaVariables, { KAFKA_BROKERS: 'a:1', ...environment });

it('names all missing variables at once', () =>
  expect(() =>
    read({
      KAFKA_TLS_CERT_FILE: '/dev/null',
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      TOPIC_OVERRIDES: 'x:partitions=1',
    }),
  ).toThrow(
    /KAFKA_TLS: is required[^]*KAFKA_TLS_KEY_FILE: is required[^]*KAFKA_SASL_USERNAME: is required[^]*KAFKA_SASL_PASSWORD: is required/,
  ));

it.each([
  [{ KAFKA_SASL_USERNAME: 'me' }, /KAFKA_SASL_MECHANISM: is required/],
  [{ KAFKA_SASL_MECHANISM: 'gssapi' }, /KAFKA_SASL_MECHANISM: Value "gssapi" not in choices/],
  [{ KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: '/no/such.pem' }, /KAFKA_TLS_CA_FILE: cannot be read from .*ENOENT/],
])('refuses %j', (environment, message) => expect(() => read(environment)).toThrow(message));

it('requires none of the variables', () =>
  expect(read({})).toMatchObject({ KAFKA_TLS: undefined, KAFKA_SASL_MECHANISM: undefined }));
