export type PlanMode = 'observe' | 'drop' | 'refuse';

/** A version of a plan of a source. */
export interface PlanSummary {
  version: number;
  description: string;
  events: number;
  state: 'active' | 'candidate' | 'inactive';
}

/** A rule and a path that messages violated, with the request of one. */
export interface PlanViolation {
  /** Empty for traits of identify. */
  event: string;
  rule: string;
  path: string;
  messages: number;
  people: number;
  /** Share of the event's judged messages, from 0 to 1. */
  share: number;
  /** ISO 8601 UTC. */
  firstSeen: string;
  lastSeen: string;
  requestId: string;
}

/** How much of an event is planned. */
export interface EventCoverage {
  event: string;
  messages: number;
  /** Judged messages of an event that the plan of that time has. */
  planned: number;
  violating: number;
}

/** The plans of a source. Violations and coverage are null while ClickHouse is unreachable. */
export interface SourcePlans {
  plans: PlanSummary[];
  versions: readonly number[];
  mode: PlanMode | null;
  candidate: number | null;
  violations: PlanViolation[] | null;
  coverage: EventCoverage[] | null;
}

/** Plans that are to be active from now on. With no version and no candidate, nothing is judged. */
export interface NewActivation {
  /**
   * @maxItems 5
   * @minimum 1
   * @maximum 4294967295
   */
  versions: number[];
  mode: PlanMode;
  /**
   * @minimum 1
   * @maximum 4294967295
   */
  candidate: number | null;
}

/** `NewActivation` as a query: versions are text with commas between. */
export interface PlanPreviewQuery {
  /** @maxLength 100 */
  versions: string;
  mode: PlanMode;
  /** @maxLength 10 */
  candidate?: string;
}

/** One difference between two plans. Values are JSON; null for what one of them lacks. */
export interface PlanChange {
  path: string;
  before: string | null;
  after: string | null;
}

export interface PlanPreview {
  /** From the newest active version to the newest of the change. */
  differences: PlanChange[];
  /** From the newest version of the change to its candidate. */
  candidateDifferences: PlanChange[];
  /** Null unless the change makes plans refuse. */
  observation: {
    /** ISO 8601 UTC; null if it never judged a message. */
    since: string | null;
    judged: number;
    violating: number;
    share: number;
    isLongEnough: boolean;
  } | null;
}
