import { type PlanMode, planModes } from '../plan/plan.js';

/** The plans that are active for a source: the record `<source>` of `plans.v1`. */
export interface Activation {
  /** Versions, newest first. A message fits if it fits any of them. */
  readonly versions: readonly number[];
  /** The strictest reaction; an event's own mode can only be milder. */
  readonly mode: PlanMode;
  /** Version that is only observed, to learn what it would refuse. */
  readonly candidate?: number;
  /** ISO 8601 UTC. */
  readonly activatedAt: string;
  /** Time since which the candidate is observed, ISO 8601 UTC. */
  readonly candidateSince?: string;
}

/** Upper bound of the versions of a source that can be active at once. */
export const maxLiveVersions = 5;

export const milderMode = (mode: PlanMode, otherMode: PlanMode): PlanMode =>
  planModes.indexOf(mode) <= planModes.indexOf(otherMode) ? mode : otherMode;
