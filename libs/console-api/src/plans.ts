import { type PageQuery } from './page.js';
import { type RangeQuery } from './status.js';

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

/** A page of the plans of a source, newest first. */
export interface PlanListQuery extends PageQuery {
  /**
   * Text that the version, the description or the name of an event contains, in upper or lower case.
   * @maxLength 200
   */
  text?: string;
}

export interface SourcePlans {
  plans: PlanSummary[];
  /** Numbers of plans that match, and of all. */
  found: number;
  all: number;
  /** Active versions. */
  versions: readonly number[];
  mode: PlanMode | null;
  candidate: number | null;
}

/** A page of what was seen in a range of time. */
export interface PlanFactsQuery extends RangeQuery, PageQuery {}

/** Most frequent first. */
export interface PlanViolations {
  violations: PlanViolation[];
  /** Number of all. */
  found: number;
}

export interface PlanCoverage {
  events: EventCoverage[];
  found: number;
}

/** A page of the events of a plan. */
export interface PlanViewQuery extends PageQuery {
  /**
   * Text that the name or the description of the event, or the path of a property contains, in upper or lower case.
   * @maxLength 200
   */
  text?: string;
}

/** An event of a plan, or its traits. */
export interface PlannedEvent {
  name: string;
  description: string;
  /** Rules of the event as a whole, in words: `mode drop`, `no other properties`. */
  rules: readonly string[];
  /** Number of its properties, those of nested objects included, and number of the required properties. */
  properties: number;
  required: number;
}

/** State of a version of a plan in one source. */
export interface PlanUse {
  sourceIdentifier: string;
  sourceName: string;
  state: PlanSummary['state'];
  /** Mode of the source, in which its active versions judge; null while nothing is active there. */
  mode: PlanMode | null;
  /** Versions that are active there. */
  versions: readonly number[];
  candidate: number | null;
  /** When this was activated, ISO 8601 UTC; null while nothing is. */
  activatedAt: string | null;
}

export interface PlanView {
  version: number;
  description: string;
  /** The source that was asked about, then the others that it was imported for. */
  uses: PlanUse[];
  /** The mode of an activation by `operator plans activate` that names none. */
  mode: PlanMode | null;
  /** Whether events that the plan does not name fit. */
  additionalEvents: boolean;
  traits: PlannedEvent | null;
  events: PlannedEvent[];
  /** Numbers of events that match, and of all. */
  found: number;
  all: number;
}

/** An event of a plan; its traits without one. */
export interface PlannedPropertiesQuery {
  /** @maxLength 64 */
  event?: string;
}

/** A value that a plan describes. */
export interface PlannedProperty {
  /** Such as `items[].price`. */
  path: string;
  /** Any type when it is empty. */
  types: readonly string[];
  isRequired: boolean;
  /** Other rules, in words: `at least 0`. */
  rules: readonly string[];
  description: string;
}

export interface PlannedProperties {
  properties: PlannedProperty[];
}

export interface PlanComparisonQuery extends PageQuery {
  /**
   * @integer
   * @minimum 1
   * @maximum 4294967295
   */
  before: number;
  /**
   * @integer
   * @minimum 1
   * @maximum 4294967295
   */
  after: number;
}

/** An event, or the traits, that two plans describe differently. Values of changes are words. */
export interface ChangedEvent {
  /** Empty for traits. */
  event: string;
  kind: 'added' | 'removed' | 'changed';
  /** At most 200; a path is empty for the event itself. */
  changes: PlanChange[];
  /** Number of all. */
  found: number;
}

/** Differences between the demands of two plans. */
export interface PlanComparison {
  /** Changes of the whole plan. */
  settings: PlanChange[];
  /** A page. */
  events: ChangedEvent[];
  /** Numbers of events of all pages, by kind. */
  added: number;
  removed: number;
  changed: number;
}

/** A file with a plan. */
export interface NewPlan {
  /**
   * Its content.
   * @pattern \S
   * @maxLength 1000000
   */
  text: string;
  /** The service whose tracking plan it is; our own form by default. */
  from?: 'segment' | 'rudderstack';
  /** Whether `Order Completed` in another service's plan is written as `order_completed`. */
  snakeCase?: boolean;
}

/** Changes that an import made, or would make. */
export interface PlanImport {
  version: number;
  /** Sources that lacked this version. */
  created: readonly string[];
  /** Sources that had it as it is. */
  unchanged: readonly string[];
  /** Version that it was compared with; null for the first. */
  before: number | null;
  /** The first 50 events. */
  comparison: PlanComparison;
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
  /** Messages that the plans judged so far; null unless the change makes them refuse or drop values. */
  observation: {
    /** ISO 8601 UTC; null if it never judged a message. */
    since: string | null;
    judged: number;
    violating: number;
    share: number;
    isLongEnough: boolean;
  } | null;
}
