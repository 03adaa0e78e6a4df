export {
  anySet,
  type Config,
  ConfigError,
  fileContent,
  followedFile,
  list,
  positiveInteger,
  readConfig,
  serviceVariables,
  type Variables,
  wholeNumber,
} from './config.js';
export { version } from './build-info.js';
export { BoundedLabel } from './bounded-label.js';
export { errorCode, errorShard } from './error-code.js';
export { firstLine } from './first-line.js';
export { FollowedFile } from './followed-file.js';
export { Health, type HealthCheck } from './health.js';
export { JsonLogger } from './logger.js';
export { startManagement } from './management.js';
export { type Backoff, backoffMs, type Failure, retry, type RetryOptions } from './retry.js';
export { type Running } from './running.js';
export { type ServeManagement, runService, type Service, serviceModule } from './service.js';
export { type Starting, whenAvailable } from './when-available.js';
export { limitYoungGeneration } from './young-generation.js';
export { activeSpan, isTraced, isTracing, startSpan, errorTrace, headerTrace, withinSpan } from './tracing/spans.js';
export { parseTraceparent, formatTraceparent } from './tracing/traceparent.js';
export { bool, makeValidator, num, port, str, url } from 'envalid';
export {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
export { type Link, SpanKind, SpanStatusCode } from '@opentelemetry/api';
