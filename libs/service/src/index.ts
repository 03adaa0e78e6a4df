export {
  type Config,
  ConfigError,
  list,
  positiveInteger,
  readConfig,
  serviceVariables,
  type Variables,
  wholeNumber,
} from './config.js';
export { Health, type HealthCheck } from './health.js';
export { JsonLogger } from './logger.js';
export { type Running } from './running.js';
export { runService, type Service, serviceModule } from './service.js';
export { makeValidator, num, port, str, url } from 'envalid';
export { Counter, Gauge, Registry } from 'prom-client';
