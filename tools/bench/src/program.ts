import { join } from 'node:path';
import { logTail, ServerProcess } from '@sluice/testing';

/** A Node program that listens on a port of 127.0.0.1. */
export interface Program {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Answers 2xx when the program is ready. */
  readonly readyUrl: string;
}

export interface RunningProgram {
  readonly pid: number;
  stop(): Promise<void>;
}

const readyWithinMs = 30_000;

/** Resolves when the program is ready. Calls `onFailure` if the program later ends without being stopped. */
export async function startProgram(
  { name, args, env, port, readyUrl }: Program,
  folder: string,
  onFailure: (error: Error) => void,
): Promise<RunningProgram> {
  const logFile = join(folder, `${name}.log`);
  const isReady = () => answers(readyUrl);
  const server = await ServerProcess.spawn({ name, command: process.execPath, args, env, port, logFile, isReady });
  await server.untilReady(readyWithinMs);
  let isStopping = false;
  void server.ended.then((how) => {
    if (!isStopping) onFailure(new Error(`${name} ended by itself (${how}). The end of its log:\n${logTail(logFile)}`));
  });
  const stop = (): Promise<void> => {
    isStopping = true;
    return server.stop();
  };
  return { pid: server.pid, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
