import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamicModule, Logger, type LoggerService, Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { reportBuild } from './build-info.js';
import { type Config, ConfigError, readConfig, type serviceVariables, type ServiceConfig } from './config.js';
import { Health } from './health.js';
import { JsonLogger } from './logger.js';
import { startManagement } from './management.js';
import { type Running } from './running.js';
import { startTracing } from './tracing/start-tracing.js';

/** Everything that an app is given when it starts. */
export interface Service<V> {
  config: Config<V>;
  health: Health;
  metrics: Registry;
  logger: LoggerService;
  /** Aborted when the process was asked to stop, also while it starts. */
  stopping: AbortSignal;
}

/** Time that a stop waits for an interrupted start to end. */
const interruptedStartMs = 1_000;

/** Serves health and metrics: on the management port, unless an app has another way. */
export type ServeManagement<V> = (config: Config<V>, health: Health, metrics: Registry) => Promise<Running>;

/**
 * Runs an app: configuration, logs, management port, start, and a graceful stop on SIGTERM or SIGINT.
 * Exit codes: 0 stopped as asked, 1 bad configuration, failed start, crash or a stop past its deadline.
 */
export async function runService<V extends typeof serviceVariables>(
  name: string,
  variables: V,
  start: (service: Service<V>) => Promise<Running>,
  serveManagement: ServeManagement<V> = (config, health, metrics) => startManagement(config, health, metrics),
): Promise<void> {
  const config = readConfigOrExit(variables);
  const serviceConfig = config as unknown as ServiceConfig; // V extends the service's own variables; envalid's types lose that
  const logger = new JsonLogger(name, serviceConfig.LOG_LEVEL);
  Logger.overrideLogger(logger);
  exitOnCrash(logger);

  const health = new Health();
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  reportBuild(name, metrics);
  let state: 'starting' | 'started' | 'stopping' = 'starting';
  health.ready.set('service', () => {
    if (state !== 'started') throw new Error(state);
    return {};
  });

  // 1. The management port opens first, so that a slow start can be watched. 2. The app starts. 3. It reports "ready".
  const tracing = await startTracing(name, serviceConfig);
  const management = await serveManagement(config, health, metrics);
  const stopping = new AbortController();
  const starting = start({ config, health, metrics, logger, stopping: stopping.signal });

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (state === 'stopping') return;
    state = 'stopping';
    logger.log(`stopping on ${signal}`, 'Service');
    setTimeout(() => process.exit(1), serviceConfig.STOP_TIMEOUT_MS).unref();
    // A start that waits for a server ends here; one that is nearly done completes, and the app is closed.
    stopping.abort(new Error(`stopped by ${signal}`));
    const app = await Promise.race([starting.catch(() => undefined), sleep(interruptedStartMs)]);
    await app?.close();
    await management.close();
    await tracing?.close();
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));

  try {
    await starting;
  } catch (error) {
    if (!stopping.signal.aborted) exitOnConfigError(error);
  }
  if (stopping.signal.aborted) return;
  state = 'started';
  logger.log('started', 'Service');
}

@Module({})
class ServiceModule {}

/** Makes the health and metrics of this process injectable everywhere in the app. */
export function serviceModule({ health, metrics }: Pick<Service<unknown>, 'health' | 'metrics'>): DynamicModule {
  return {
    module: ServiceModule,
    global: true,
    providers: [
      { provide: Health, useValue: health },
      { provide: Registry, useValue: metrics },
    ],
    exports: [Health, Registry],
  };
}

function readConfigOrExit<V extends typeof serviceVariables>(variables: V): Config<V> {
  try {
    return readConfig(variables);
  } catch (error) {
    return exitOnConfigError(error);
  }
}

/** Prints a ConfigError without a stack trace and exits; rethrows any other error. */
function exitOnConfigError(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** Logs an unhandled error and exits: the state is unknown then, and the supervisor restarts the process. */
function exitOnCrash(logger: LoggerService): void {
  const crash = (error: unknown): void => {
    logger.fatal?.(error instanceof Error ? error : new Error(String(error)), 'Service');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
