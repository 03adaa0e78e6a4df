import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Names the messages that are sent: those of a shop, or those of the plan of the part `plans`. */
export type Messages = 'shop' | 'planned';

/** Requests to send, by default as fast as the server answers. */
export interface LoadOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Track messages per request: 1 means a single message, more a batch. */
  readonly items: number;
  readonly connections: number;
  readonly seconds: number;
  /** Kind of the messages; those of a shop if left out. */
  readonly messages?: Messages;
  /** Requests a second of all connections; if left out, as many as the server answers. */
  readonly perSecond?: number;
}

export interface LoadResult {
  /** Requests answered with 2xx. */
  readonly acknowledged: number;
  /** Requests answered with another status or not at all. */
  readonly failed: number;
  /** Actual duration. */
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const program = fileURLToPath(new URL('./load-process.js', import.meta.url));

/** Sends from a separate process, so that generating load does not count as CPU time of a measured process. */
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
