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
export { version } from './build-info.js';
export { BoundedLabel } from './bounded-label.js';
export { codeOf } from './error-code.js';
export { Health, type HealthCheck } from './health.js';
export { JsonLogger } from './logger.js';
export { type Running } from './running.js';
export { runService, type Service, serviceModule } from './service.js';
export { makeValidator, num, port, str, url } from 'envalid';
export { Counter, Gauge, Histogram, Registry } from 'prom-client';
