import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess, startClickHouse, startKafka } from '@sluice/testing';
import { progress } from './progress.js';

/** A Kafka and a ClickHouse with nothing in them, and room for what is started beside them. */
export interface Servers {
  readonly brokers: string[];
  readonly clickhouseUrl: string;
  /** Starts a Node program; it ends with the servers at the latest. */
  start(program: Program): Promise<ServerProcess>;
}

export interface Program {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Answers 2xx when the program is ready. */
  readonly readyUrl: string;
}

const readyWithinMs = 30_000;

/** Nothing of it is left when this ends, whatever ends it. */
export async function withServers<T>(use: (servers: Servers) => Promise<T>): Promise<T> {
  progress('starting Kafka and ClickHouse');
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  // For ^C and crashes; @sluice/testing kills its servers and our programs then.
  const removeAtExit = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', removeAtExit);
  const stops: (() => Promise<void>)[] = [];
  try {
    const stoppedLater = async <S extends { stop(): Promise<void> }>(starting: Promise<S>): Promise<S> => {
      const server = await starting;
      stops.unshift(() => server.stop());
      return server;
    };
    const [kafka, clickhouse] = await Promise.all([
      stoppedLater(startKafka({ dataDir: join(folder, 'kafka'), onProgress: progress })),
      stoppedLater(startClickHouse({ dataDir: join(folder, 'clickhouse') })),
    ]);
    const start = async (program: Program): Promise<ServerProcess> => {
      const server = await stoppedLater(spawn(program, folder));
      await server.untilReady(readyWithinMs);
      return server;
    };
    return await use({ brokers: kafka.brokers, clickhouseUrl: clickhouse.url, start });
  } finally {
    // The last one started is the first one stopped.
    for (const stop of stops) await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    process.off('exit', removeAtExit);
  }
}

function spawn({ name, args, env, port, readyUrl }: Program, folder: string): Promise<ServerProcess> {
  return ServerProcess.spawn({
    name,
    command: process.execPath,
    args,
    env,
    port,
    logFile: join(folder, `${name}.log`),
    isReady: () => answers(readyUrl),
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
