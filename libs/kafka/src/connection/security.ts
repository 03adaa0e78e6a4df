import { type ConnectionOptions } from 'node:tls';
import { anySet, bool, type Config, fileContent, followedFile, str } from '@sluice/service';
import { type SASLOptions } from '@sluice/kafkajs';

export const securityVariables = {
  KAFKA_TLS: bool({
    default: undefined,
    requiredWhen: anySet('KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'),
    desc: 'Whether to connect to the brokers by TLS; their certificate and name are always verified',
  }),
  KAFKA_TLS_CA_FILE: followedFile({
    default: undefined,
    desc: 'PEM file of the authorities that may sign the certificates of the brokers; those that Node knows by default',
  }),
  KAFKA_TLS_CERT_FILE: followedFile({
    default: undefined,
    requiredWhen: anySet('KAFKA_TLS_KEY_FILE'),
    desc: 'PEM file of our own certificate, for brokers that ask for one; together with KAFKA_TLS_KEY_FILE',
  }),
  KAFKA_TLS_KEY_FILE: followedFile({
    default: undefined,
    requiredWhen: anySet('KAFKA_TLS_CERT_FILE'),
    desc: 'PEM file of the key of KAFKA_TLS_CERT_FILE',
  }),
  KAFKA_SASL_MECHANISM: str({
    choices: ['plain', 'scram-sha-256', 'scram-sha-512'],
    default: undefined,
    requiredWhen: anySet('KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD', 'KAFKA_SASL_PASSWORD_FILE'),
    desc: 'How we sign in to Kafka; not at all by default',
  }),
  KAFKA_SASL_USERNAME: str({
    default: undefined,
    requiredWhen: anySet('KAFKA_SASL_MECHANISM'),
    desc: 'User of Kafka; together with KAFKA_SASL_MECHANISM',
  }),
  KAFKA_SASL_PASSWORD: str({
    default: undefined,
    requiredWhen: (config) => anySet('KAFKA_SASL_MECHANISM')(config) && !anySet('KAFKA_SASL_PASSWORD_FILE')(config),
    desc: 'Password of that user; or KAFKA_SASL_PASSWORD_FILE',
  }),
  KAFKA_SASL_PASSWORD_FILE: fileContent({
    default: undefined,
    desc: 'File with that password; it wins over KAFKA_SASL_PASSWORD',
  }),
};
type Security = Partial<Config<typeof securityVariables>>;

/** TLS options for kafkajs, or false without TLS. The files are read again for each new connection. */
export function tlsOptions(config: Security): ConnectionOptions | false {
  if (config.KAFKA_TLS !== true) return false;
  const { KAFKA_TLS_CA_FILE: ca, KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key } = config;
  return {
    minVersion: 'TLSv1.2',
    get ca() {
      return ca?.content;
    },
    get cert() {
      return cert?.content;
    },
    get key() {
      return key?.content;
    },
  };
}

/** The credentials of kafkajs; undefined for none. */
export function saslOptions(config: Security): SASLOptions | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username = '' } = config;
  const password = config.KAFKA_SASL_PASSWORD_FILE ?? config.KAFKA_SASL_PASSWORD ?? '';
  return mechanism && { mechanism, username, password };
}
