import { type NodeOptions } from '@sluice/node';

/** Event of the messages of a run. */
export const nodeEventName = 'node_faults';

/** Work of a process of a run. */
export interface ShopWork {
  readonly options: NodeOptions & { readonly storage: { readonly directory: string } };
  readonly run: string;
  /** Names the process in its messages. */
  readonly tab: string;
  /** File that gets a line for each number that `track` took, and for each report. */
  readonly book: string;
  /** Factor by which the time of the SDK passes faster. */
  readonly speed: number;
  readonly beganAt: number;
  /** While this file exists, every write to a file fails as on a full disk. */
  readonly fullFlag: string | undefined;
  /** True makes the process only send what is in the directory. */
  readonly isCalm: boolean;
  /** Name of the fault that the clients are given. */
  readonly mutant?: string | undefined;
}

/**
 * State of a message when `track` has returned. `written`: a file has it whole. `reported`: no file has it, and
 * errorHandler was informed. `silent`: no file has it, and nothing was reported.
 */
export type MessageFate = 'written' | 'reported' | 'silent';

/** A line of a book: the number, its real time and its place; or a code and a count. */
export type BookLine = readonly ['took', number, number, MessageFate] | readonly ['reported', string, number];
