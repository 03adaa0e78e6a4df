import { kafkaVariables, publisherVariables } from '@sluice/kafka';
import { privacyVariables } from '@sluice/privacy';
import { pushTokenVariables } from '@sluice/push-tokens';
import { type Config, positiveInteger, port, serviceVariables, str, wholeNumber } from '@sluice/service';
import { pathAliases } from './http/reading/path-aliases.js';
import { headerName } from './intake/client-facts.js';

export const gatewayVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...publisherVariables,
  ...pushTokenVariables,
  ...privacyVariables,
  GATEWAY_HOST: str({ default: '0.0.0.0', desc: 'Address that clients connect to' }),
  GATEWAY_PORT: port({ default: 8080, desc: 'Port that clients connect to' }),
  GATEWAY_DATA_DIR: str({
    default: '.data/gateway',
    desc: 'Folder of the spool and of the snapshots of sources, plans and suppressions; must outlive the process',
  }),
  GATEWAY_WORKERS: positiveInteger({
    default: 1,
    desc: 'Processes that share the port; limits of the gateway are those of all its workers together',
  }),
  GATEWAY_COUNTRY_HEADER: headerName({
    default: undefined,
    desc: 'Header in which the edge before the gateway writes the country of the client in two letters, such as CF-IPCountry or CloudFront-Viewer-Country; set it only if clients reach the gateway through that edge alone. Without it, no country is stored',
  }),
  GATEWAY_PATH_ALIASES: pathAliases({
    default: undefined,
    desc: 'Paths of your own in addition to those of the API, such as /a=/api/tracker/sdk,/f=/sdk: for events, and for files of the Web SDK',
  }),
  CANARY_INTERVAL_MS: wholeNumber({
    default: 5_000,
    desc: 'Time between two messages that the gateway sends to itself, to prove that what is answered 200 is stored once; 0 sends none',
  }),
  CANARY_KEY: str({
    default: '',
    desc: 'Key of these messages, shared by the workers of a gateway; a random one of each start unless it is set',
  }),
  SPOOL_MAX_BYTES: positiveInteger({
    default: 2 * 1024 * 1024 * 1024,
    desc: 'Disk space of messages that wait for Kafka, for each of GATEWAY_WORKERS; the volume needs more than the product of both. When it is used up, requests are answered 503',
  }),
  SPOOL_MAX_AGE_MS: positiveInteger({
    default: 24 * 60 * 60 * 1_000,
    desc: 'While the oldest message has waited longer for Kafka, requests are answered 503; no message is dropped',
  }),
  GATEWAY_MAX_CONNECTIONS: positiveInteger({
    default: 10_000,
    desc: 'Connections at a time; one more closes the oldest idle one without a valid key, else the longest idle one of the source with the most. A source keeps a quarter of them with its key; 16 more may ask for /health/ready',
  }),
  GATEWAY_MAX_REQUESTS_IN_WORK: positiveInteger({
    default: 4_000,
    desc: 'Requests in work at a time, from the arrival of their body to their answer; more are answered 503. Next to others, a source has a quarter of them',
  }),
  GATEWAY_MAX_BODY_BYTES_IN_WORK: positiveInteger({
    default: 64 * 1024 * 1024,
    desc: 'Memory of all bodies that are being read, and of those in work over 8 KiB. When it is used up, bodies that have been read for over a second are given up; further requests are answered 503. Requests without a key have a quarter of it, and a source, next to others, a quarter of the rest',
  }),
  SOURCE_RATE_LIMIT_PER_SECOND: wholeNumber({
    default: 0,
    desc: 'Requests per second of each source; more are answered 429. 0 means no limit',
  }),
  SOURCE_MAX_NAMES_PER_DAY: positiveInteger({
    default: 2_000,
    desc: 'Names in free-form objects that each source may use on two days in a row, by worker; values of further names are kept as text',
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
