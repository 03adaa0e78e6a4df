import { type Target } from './sdks.js';

/** What a process tracks, and with which SDK. */
export interface NodeLoad {
  readonly sdk: string;
  readonly target: Target;
  readonly events: number;
}

/** Result of a process, which it prints. */
export interface NodeLoadResult {
  /** Seconds until everything was sent. */
  readonly seconds: number;
  /** Microseconds of CPU time for each event. */
  readonly cpuUs: number;
  readonly peakMb: number;
}
