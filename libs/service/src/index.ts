export {
  anySet,
  type Config,
  ConfigError,
  fileContent,
  list,
  positiveInteger,
  readConfig,
  serviceVariables,
  type Variables,
  wholeNumber,
} from './config.js';
export { Health, type HealthCheck } from './health.js';
export { JsonLogger } from './logger.js';
export { startManagement } from './management.js';
export { type Running } from './running.js';
export { type Offer, runService, type Service, serviceModule } from './service.js';
export { bool, makeValidator, num, port, str, url } from 'envalid';
export {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
