import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePorts } from './free-port.js';
import { ServerProcess } from './server/server-process.js';
import { type ServerSpec } from './server/server-spec.js';

/** The checkout that this file is in. The file has the same depth in src and in dist. */
const here = fileURLToPath(new URL('../../../', import.meta.url));
const readyMs = 100_000;

export type App = 'gateway' | 'console' | 'tracking' | 'catalog' | 'push-interaction';
export type AppSettings = Readonly<Record<string, string>>;

export interface AppOptions {
  /** Folder of the log, and of the data that the gateway keeps on disk. */
  readonly folder: string;
  /** Name of the process and of its log: the app's name by default. */
  readonly name?: string;
  /** Another built checkout whose app is started. */
  readonly checkout?: string | undefined;
  /** Arguments of Node before the program. */
  readonly nodeArgs?: readonly string[];
}

/** A built app in a process of its own. */
export interface RunningApp {
  readonly server: ServerProcess;
  /** Address of the gateway's API or of the console; any other app has only its management address. */
  readonly url: string;
  readonly managementUrl: string;
}

/** The built program of an app. */
const programPath = (app: App | 'operator', checkout = here): string => join(checkout, 'apps', app, 'dist', 'main.js');

/** The spec of a built app on free ports, or on those that the settings name. Its `port` is the management port. */
export async function appSpec(app: App, settings: AppSettings, options: AppOptions): Promise<ServerSpec> {
  const { folder, name = app, checkout, nodeArgs = [] } = options;
  const [port = 0, managementPort = 0] = await freePorts(2);
  const env: Record<string, string> = {
    ...addressSettings(app, port, join(folder, name)),
    MANAGEMENT_HOST: '127.0.0.1',
    MANAGEMENT_PORT: String(managementPort),
    ...settings,
  };
  const ready = `http://127.0.0.1:${env['MANAGEMENT_PORT']}/health/ready`;
  return {
    name,
    command: process.execPath,
    args: [...nodeArgs, programPath(app, checkout)],
    env,
    port: Number(env['MANAGEMENT_PORT']),
    logFile: join(folder, `${name}.log`),
    isReady: () => isOk(ready),
  };
}

/** Starts a built app and does not wait for it. */
export async function spawnApp(app: App, settings: AppSettings, options: AppOptions): Promise<RunningApp> {
  const server = await ServerProcess.spawn(await appSpec(app, settings, options));
  const { GATEWAY_PORT, CONSOLE_PORT, MANAGEMENT_PORT } = server.spec.env ?? {};
  const toUrl = (port: string | undefined): string => `http://127.0.0.1:${port}`;
  return { server, url: toUrl(GATEWAY_PORT ?? CONSOLE_PORT ?? MANAGEMENT_PORT), managementUrl: toUrl(MANAGEMENT_PORT) };
}

/** Starts a built app. Resolves when it is ready. */
export async function startApp(app: App, settings: AppSettings, options: AppOptions): Promise<RunningApp> {
  const running = await spawnApp(app, settings, options);
  await running.server.untilReady(readyMs);
  return running;
}

/**
 * Runs the built operator CLI to its end.
 * @param kill kills it with SIGKILL when it is aborted
 * @throws with `code`, `stdout` and `stderr` when it fails.
 */
export function runOperator(
  args: readonly string[],
  settings: AppSettings,
  checkout?: string,
  kill?: AbortSignal,
): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, SLUICE_DATA_DIR: '/no/such/folder', ...settings };
  const program = [programPath('operator', checkout), ...args];
  return promisify(execFile)(process.execPath, program, { env, signal: kill, killSignal: 'SIGKILL' });
}

/** Checks that an address answers with 2xx. */
export async function isOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

function addressSettings(app: App, port: number, dataDir: string): Record<string, string> {
  if (app === 'gateway') {
    // Tests count the messages of topics; those of the canary turn it on.
    const isQuiet = { CANARY_INTERVAL_MS: '0' };
    return { GATEWAY_HOST: '127.0.0.1', GATEWAY_PORT: String(port), GATEWAY_DATA_DIR: dataDir, ...isQuiet };
  }
  if (app !== 'console') return {};
  const url = `http://127.0.0.1:${port}`;
  const secret = 'a secret of more than thirty-two characters';
  return { CONSOLE_HOST: '127.0.0.1', CONSOLE_PORT: String(port), CONSOLE_URL: url, CONSOLE_SECRET: secret };
}
