import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerSpec, startClickHouse, startKafka } from '@sluice/testing';
import { progress } from './progress.js';
import { type RunningProgram, startProgram } from './program.js';

/** An empty Kafka and ClickHouse, and the programs that are started next to them. */
export interface BenchServers {
  readonly brokers: string[];
  readonly clickhouseUrl: string;
  readonly clickhousePid: number;
  readonly kafkaPid: number;
  /** Folder for the programs' files, removed after the run. */
  readonly folder: string;
  /** Starts a program, which is stopped with the servers at the latest. */
  start(program: ServerSpec): Promise<RunningProgram>;
}

/**
 * Runs `use` with fresh servers, then stops every process and removes every file, however the run ends.
 * @throws also when a program ends before it is stopped.
 */
export async function withServers<T>(use: (servers: BenchServers) => Promise<T>): Promise<T> {
  progress('starting Kafka and ClickHouse');
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  // Handles ^C and crashes, when @sluice/testing kills its servers and our programs.
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.once('exit', removeAtExit);
  const stops: (() => Promise<void>)[] = [];
  const stoppedLater = async <S extends Pick<RunningProgram, 'stop'>>(starting: Promise<S>): Promise<S> => {
    const server = await starting;
    stops.unshift(() => server.stop());
    return server;
  };
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  try {
    const [kafka, clickhouse] = await Promise.all([
      stoppedLater(startKafka({ dataDir: join(folder, 'kafka'), onProgress: progress })),
      stoppedLater(startClickHouse({ dataDir: join(folder, 'clickhouse') })),
    ]);
    const start = (program: ServerSpec) => stoppedLater(startProgram(program, fail));
    const { url: clickhouseUrl, pid: clickhousePid } = clickhouse;
    const [kafkaPid = 0] = kafka.pids;
    const { brokers } = kafka;
    return await Promise.race([use({ brokers, clickhouseUrl, clickhousePid, kafkaPid, folder, start }), failed]);
  } finally {
    // Stop in reverse order of the starts.
    for (const stop of stops) await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    process.off('exit', removeAtExit);
  }
}
