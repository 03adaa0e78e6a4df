import { kafkaVariables, publisherVariables } from '@sluice/kafka';
import { pushTokenVariables } from '@sluice/push-tokens';
import { type Config, positiveInteger, port, serviceVariables, str, wholeNumber } from '@sluice/service';

export const gatewayVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...publisherVariables,
  ...pushTokenVariables,
  GATEWAY_HOST: str({ default: '0.0.0.0', desc: 'Address that clients connect to' }),
  GATEWAY_PORT: port({ default: 8080, desc: 'Port that clients connect to' }),
  GATEWAY_DATA_DIR: str({
    default: '.data/gateway',
    desc: 'Folder of the spool and of the snapshot of the sources; it must outlive the process',
  }),
  GATEWAY_WORKERS: positiveInteger({
    default: 1,
    desc: 'Processes that share the port; limits of the gateway are those of all its workers together',
  }),
  SPOOL_MAX_BYTES: positiveInteger({
    default: 2 * 1024 * 1024 * 1024,
    desc: 'Disk space of messages that wait for Kafka, of each of GATEWAY_WORKERS: it is not divided, so the volume needs more than their product; beyond it requests are answered 503',
  }),
  SPOOL_MAX_AGE_MS: positiveInteger({
    default: 24 * 60 * 60 * 1_000,
    desc: 'When the oldest message waits longer for Kafka, requests are answered 503 until it is there; none is dropped',
  }),
  GATEWAY_MAX_CONNECTIONS: positiveInteger({
    default: 10_000,
    desc: 'Connections at a time; for one more the oldest is closed that has shown no valid key and has no request in work',
  }),
  GATEWAY_MAX_REQUESTS_IN_WORK: positiveInteger({
    default: 4_000,
    desc: 'Requests in work at a time, from when their body is there until they are answered; more are answered 503',
  }),
  GATEWAY_MAX_BODY_BYTES_IN_WORK: positiveInteger({
    default: 64 * 1024 * 1024,
    desc: 'Memory of bodies that are being read, and of those over 8 KiB that are worked on, all together; what is beyond is answered 503, but first a body gives way that has been read for over a second. Ad requests have a quarter of it, all others the rest',
  }),
  SOURCE_RATE_LIMIT_PER_SECOND: wholeNumber({
    default: 0,
    desc: 'Requests per second of each source; more are answered 429. 0 means no limit',
  }),
  KEYLESS_MAX_REQUESTS_IN_WORK: positiveInteger({
    default: 1_000,
    desc: 'Push callbacks and ad requests at a time, all together; more are answered 503. Keep it well below GATEWAY_MAX_REQUESTS_IN_WORK',
  }),
  KEYLESS_RATE_LIMIT_PER_SECOND: wholeNumber({
    default: 0,
    desc: 'Push callbacks and ad requests per second, all together; more are answered 429. 0 means no limit',
  }),
};
export type GatewayConfig = Config<typeof gatewayVariables>;
