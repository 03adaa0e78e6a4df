import { logTail, ServerProcess, type ServerSpec } from '@sluice/testing';

export interface RunningProgram {
  readonly pid: number;
  stop(): Promise<void>;
}

const readyWithinMs = 30_000;

/** Resolves when the program is ready. Calls `onFailure` if the program later ends without being stopped. */
export async function startProgram(spec: ServerSpec, onFailure: (error: Error) => void): Promise<RunningProgram> {
  const { name, logFile } = spec;
  const server = await ServerProcess.spawn(spec);
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
