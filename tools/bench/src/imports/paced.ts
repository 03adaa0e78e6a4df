import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Events to send one by one at even distances. */
export interface PacedOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface PacedResult {
  readonly answerMs: readonly number[];
  /** Number of events that were not answered with 200. */
  readonly failed: number;
}

const program = fileURLToPath(new URL('./paced-process.js', import.meta.url));

/** Sends from a process of its own, which the work of the bench does not delay. */
export async function sendPaced(order: PacedOrder): Promise<PacedResult> {
  const child = fork(program, { execArgv: [] });
  try {
    const answer = once(child, 'message') as Promise<[PacedResult]>;
    child.send(order);
    const [result] = await answer;
    return result;
  } finally {
    child.kill();
  }
}
