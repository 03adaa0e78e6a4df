import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@sluice/testing';
import { type RunningProgram } from './program.js';
import { type Servers } from './servers.js';

// The bench runs apps and never imports them. The path is right from both src and dist, which are equally deep.
const programOf = (app: string): string => fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));

export const database = 'sluice';

interface StartOptions {
  /** Name of the process, if an app runs twice. */
  readonly name?: string;
  readonly env?: Record<string, string>;
  /** Modules that are loaded before the app. */
  readonly preload?: readonly string[];
  readonly profiles?: string | undefined;
}

/** Starts a built app the way its operators do: with its defaults, except for addresses. */
export async function startApp(
  servers: Servers,
  app: 'gateway' | 'tracking',
  { name = app, env = {}, preload = [], profiles }: StartOptions = {},
): Promise<RunningProgram> {
  const port = await freePort();
  return servers.start({
    name,
    args: [...profilingOf(profiles), ...preload.map((url) => `--import=${url}`), programOf(app)],
    env: {
      KAFKA_BROKERS: servers.brokers.join(','),
      CLICKHOUSE_URL: servers.clickhouseUrl,
      CLICKHOUSE_DATABASE: database,
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(port),
      ...env,
    },
    port,
    readyUrl: `http://127.0.0.1:${port}/health/ready`,
  });
}

export interface BenchGateway {
  readonly process: RunningProgram;
  readonly url: string;
}

export async function startBenchGateway(
  servers: Servers,
  profiles: string | undefined,
  { name = 'gateway', preload = [] }: Pick<StartOptions, 'name' | 'preload'> = {},
): Promise<BenchGateway> {
  const port = await freePort();
  const env = {
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    GATEWAY_DATA_DIR: join(servers.folder, name),
  };
  return {
    process: await startApp(servers, 'gateway', { name, env, preload, profiles }),
    url: `http://127.0.0.1:${port}`,
  };
}

const profilingOf = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
