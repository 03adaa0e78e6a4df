import { type ChildProcess } from 'node:child_process';
import { type FaultCommand, type FaultRunOptions } from '../run/options.js';
import { type StatusShare } from './service.js';

/** Purpose of a process: to track until it is killed, or to send what is left. */
export interface Errand {
  readonly host: string;
  readonly folder: string;
  readonly mode: 'track' | 'drain';
  /** Number of the process in its device. */
  readonly life: number;
  readonly seed: number;
  /** Events after which it is quiet; without it, it tracks until it is killed. */
  readonly events?: number;
}

/** Statement of a process in one line. */
export type Statement =
  | { readonly what: 'taken'; readonly number: number; readonly at: number; readonly isWritten: boolean }
  | { readonly what: 'written'; readonly number: number }
  | { readonly what: 'reported'; readonly text: string };

/** The program of an SDK in its own language. Processes of it are killed. */
export interface Program {
  /** Starts a process, whose output is lines. One that drains ends with 0 when nothing is left. */
  start(errand: Errand): ChildProcess;
  /** Undefined for a line that says nothing about a message, or that a kill has cut off. */
  read(line: string): Statement | undefined;
  /** A sentence on what a call costs its caller. */
  cost?(): Promise<string>;
  remove(): Promise<void>;
}

/** An SDK whose processes can be killed. */
export interface KillPlatform {
  readonly command: FaultCommand;
  /** Bad answers of the service, and the percentage of requests that meet each. */
  readonly shares: readonly StatusShare[];
  /** True if the service answers well while a device drains: without a fast clock, waits after bad answers are long. */
  readonly isCalmDrain: boolean;
  /** Kills after which a device sends what is left, if it has not taken many messages before. */
  readonly killsPerDrain: number;
  /** Events after which a process is killed, at most. */
  readonly maxEvents: number;
  /** Share of the processes that are quiet for longer than the tail before they are killed. */
  readonly quietShare: number;
  build(options: Pick<FaultRunOptions, 'mutant'>): Promise<Program>;
}
