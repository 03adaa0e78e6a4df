import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@sluice/testing';
import { type RunningProgram } from './program.js';
import { type Servers } from './servers.js';

// The bench runs apps and never imports them. The path is right from both src and dist, which are equally deep.
const programOf = (app: string): string => fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));

export const database = 'sluice';

/** Starts a built app the way its operators do: with its defaults, except for addresses. */
export async function startApp(
  servers: Servers,
  app: 'gateway' | 'tracking',
  { env = {}, profiles }: { env?: Record<string, string>; profiles?: string | undefined } = {},
): Promise<RunningProgram> {
  const port = await freePort();
  return servers.start({
    name: app,
    args: [...profilingOf(profiles), programOf(app)],
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

export async function startBenchGateway(servers: Servers, profiles: string | undefined): Promise<BenchGateway> {
  const port = await freePort();
  const env = {
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    GATEWAY_DATA_DIR: join(servers.folder, 'gateway'),
  };
  return { process: await startApp(servers, 'gateway', { env, profiles }), url: `http://127.0.0.1:${port}` };
}

const profilingOf = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
