import { join, resolve } from 'node:path';
import { type App, appSpec } from '@sluice/testing';
import { type RunningProgram } from './program.js';
import { type BenchServers } from './servers.js';

export const database = 'sluice';
/** Folder of another built checkout, which some parts compare with this one in place of the floor. */
export const olderCheckout = process.env['OLDER_CHECKOUT'];

interface StartOptions {
  /** Name of the process, if an app runs twice. */
  readonly name?: string;
  /** Modules that are loaded before the app. */
  readonly preload?: readonly string[];
  readonly profiles?: string | undefined;
  /** Another built checkout whose app is started. */
  readonly checkout?: string;
  /** Environment variables besides the addresses. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a built app the way its operators do: with its defaults, except for addresses. */
export const startBenchApp = async (
  servers: BenchServers,
  app: App,
  options: StartOptions = {},
): Promise<RunningProgram> => servers.start(await makeSpec(servers, app, options));

export interface BenchGateway {
  readonly process: RunningProgram;
  readonly url: string;
  readonly managementUrl: string;
}

export async function startBenchGateway(
  servers: BenchServers,
  profiles: string | undefined,
  options: Pick<StartOptions, 'name' | 'preload' | 'checkout' | 'settings'> = {},
): Promise<BenchGateway> {
  const spec = await makeSpec(servers, 'gateway', { ...options, profiles });
  const address = (name: string): string => `http://127.0.0.1:${spec.env?.[name]}`;
  return {
    process: await servers.start(spec),
    url: address('GATEWAY_PORT'),
    managementUrl: address('MANAGEMENT_PORT'),
  };
}

function makeSpec(
  servers: BenchServers,
  app: App,
  { name = app, preload = [], profiles, checkout, settings: extraSettings = {} }: StartOptions,
) {
  const { brokers, clickhouseUrl, folder } = servers;
  const settings = {
    KAFKA_BROKERS: brokers.join(','),
    CLICKHOUSE_URL: clickhouseUrl,
    CLICKHOUSE_DATABASE: database,
    GATEWAY_DATA_DIR: join(folder, name),
    ...extraSettings,
  };
  const nodeArgs = [...profilingArgs(profiles), ...preload.map((url) => `--import=${url}`)];
  return appSpec(app, settings, { folder, name, nodeArgs, checkout });
}

const profilingArgs = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
