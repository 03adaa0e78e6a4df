import { clickhouseVariables, tableVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import { erasureVariables } from '@sluice/operations';
import { privacyVariables } from '@sluice/privacy';
import { pushTokenVariables } from '@sluice/push-tokens';
import { str, url } from '@sluice/service';

export const logVariables = { LOG_LEVEL: str({ default: 'info', desc: 'debug shows logs and stack traces' }) };
export const localVariables = {
  SLUICE_DATA_DIR: str({
    default: '.data',
    desc: 'Folder of the local stack; while a stack runs there, its servers are used instead of those below',
  }),
};
export const gatewayUrlVariables = {
  GATEWAY_URL: url({ desc: 'Address of the gateway; for catalog import', example: 'http://gateway:8080' }),
};
export const publicUrlVariables = {
  GATEWAY_PUBLIC_URL: str({
    default: '',
    desc: 'Address by which clients reach the gateway, such as https://events.example.com; printed for clients of Segment',
  }),
};
export const consoleUrlVariables = {
  CONSOLE_URL: url({ desc: 'Address of the console; for console invite', example: 'https://console.example.com' }),
};
export const apiKeyVariables = {
  SLUICE_API_KEY: str({ default: '', desc: 'Key of the source; for catalog import' }),
};
export const writeKeyVariables = {
  SLUICE_WRITE_KEY: str({ default: '', desc: 'Write key of the source, <source>_<API key>; for import' }),
};
export const metricsUrlVariables = {
  GATEWAY_METRICS_URLS: str({
    default: '',
    desc: 'Comma-separated addresses of the gateways’ /metrics, for operator status',
  }),
  CONSUMER_METRICS_URLS: str({
    default: '',
    desc: 'Comma-separated addresses of the consumers’ /metrics, for operator status: which partition is stuck, and why',
  }),
};

/** All variables of the operator; a command reads only those that it needs. */
export const operatorVariables = {
  ...logVariables,
  ...localVariables,
  ...kafkaVariables,
  ...clickhouseVariables,
  ...tableVariables,
  ...pushTokenVariables,
  ...privacyVariables,
  ...erasureVariables,
  ...gatewayUrlVariables,
  ...publicUrlVariables,
  ...consoleUrlVariables,
  ...apiKeyVariables,
  ...writeKeyVariables,
  ...metricsUrlVariables,
};
