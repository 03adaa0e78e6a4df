import { freePort } from '../free-port.js';
import { ServerProcess } from '../server/server-process.js';
import { type ClickHouseOptions, prepareClickHouse } from './prepare-clickhouse.js';

export interface StartClickHouseOptions extends Omit<ClickHouseOptions, 'port'> {
  /** By default any free port. */
  readonly port?: number;
}

export interface RunningClickHouse {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a real ClickHouse (user `default` without a password, HTTP, TCP at `tcpPort`). Resolves when it is ready. */
export async function startClickHouse(options: StartClickHouseOptions): Promise<RunningClickHouse> {
  const port = options.port ?? (await freePort());
  const { url, server } = await prepareClickHouse({ ...options, port });
  const process = await ServerProcess.spawn(server);
  await process.untilReady(30_000);
  return { url, pid: process.pid, stop: () => process.stop() };
}
