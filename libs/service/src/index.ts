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
export { type Running } from './running.js';
export { runService, type Service, serviceModule } from './service.js';
export { bool, makeValidator, num, port, str, url } from 'envalid';
export { Counter, Registry } from 'prom-client';
