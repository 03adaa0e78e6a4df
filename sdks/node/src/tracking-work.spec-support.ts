import { type NodeOptions } from './index.js';

/** Work of a test's process: it tracks until it is killed, and writes each number that `track` took to a file. */
export interface Work {
  readonly options: NodeOptions;
  readonly name: string;
  /** File that gets a line for each number. */
  readonly tookFile: string;
  /** Events between two turns of the event loop. */
  readonly burst: number;
  /** Name of the fault that the client is given. */
  readonly mutant?: string | undefined;
}
