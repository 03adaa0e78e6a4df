import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Requests to send, as many as the server will answer. */
export interface LoadOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Track messages in a request: 1 is a single one, more are a batch. */
  readonly items: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  /** Answered with 2xx. */
  readonly acknowledged: number;
  /** Answered with anything else, or not at all. */
  readonly failed: number;
  /** How long it really took. */
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const program = fileURLToPath(new URL('./load-process.js', import.meta.url));

/** Sends from a process of its own, so that this work is nobody's CPU time that is measured. */
export async function sendLoad(order: LoadOrder): Promise<LoadResult> {
  const child = fork(program, { execArgv: [] });
  try {
    const answer = Promise.race([
      once(child, 'message') as Promise<[LoadResult]>,
      once(child, 'exit').then(([code]) => {
        throw new Error(`the load generator ended with ${String(code)}`);
      }),
    ]);
    child.send(order);
    const [result] = await answer;
    return result;
  } finally {
    child.kill();
  }
}
