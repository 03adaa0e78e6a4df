import {
  type Activation,
  diffPlans,
  type Plan,
  type PlanDifference,
  type PlanMode,
  type PlanRegistry,
} from '@sluice/plans';
import { OperationError } from '../operation-error.js';
import { type SelectRows } from './select-rows.js';
import { type Observation, observationOf } from './observation.js';

/** A change of what is active for a source. */
export interface ActivationChange {
  readonly source: string;
  readonly versions: readonly number[];
  readonly mode: PlanMode;
  readonly candidate?: number;
}

/** What a change of the active plans would do. */
export interface ActivationPreview extends ActivationChange {
  /** Active versions, maybe none, their mode, and the candidate; null without an activation. */
  readonly before: Pick<Activation, 'versions' | 'mode' | 'candidate'> | null;
  /** Differences between the newest active plan, if there is one, and the newest of the change; none without versions. */
  readonly differences: readonly PlanDifference[];
  /** Differences between the newest of the change, if it has versions, and its candidate; none without a candidate. */
  readonly candidateDifferences: readonly PlanDifference[];
  /** Null unless the change makes plans refuse. */
  readonly observation: Observation | null;
}

/** The plan of a version. @throws OperationError */
export function findPlan(registry: PlanRegistry, source: string, version: number): Plan {
  const plan = registry.plan(source, version);
  if (plan) return plan;
  const known = registry.plansOf(source).map((one) => one.version);
  const there = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  throw new OperationError(`source ${source} has no plan of version ${version}; ${there}`);
}

/**
 * Reads what a change would do.
 * @param select asks the ClickHouse whose rows show what would be refused; needed for mode refuse only
 * @throws OperationError for an unknown version; ServerUnreachableError
 */
export async function previewActivation(
  select: SelectRows | undefined,
  registry: PlanRegistry,
  change: ActivationChange,
): Promise<ActivationPreview> {
  const { source, versions, mode, candidate } = change;
  const plans = versions.map((version) => findPlan(registry, source, version));
  const newest = plans.toSorted((one, other) => other.version - one.version)[0];
  const observed = candidate === undefined ? undefined : findPlan(registry, source, candidate);
  const active = registry.activation(source) ?? null;
  const [activeVersion] = active?.versions ?? [];
  const activePlan = activeVersion === undefined ? undefined : registry.plan(source, activeVersion);
  const isRefusing = mode === 'refuse' && versions.length > 0;
  const observation = isRefusing && select ? await observationOf(select, registry, source, versions) : null;
  return {
    ...change,
    before: active && picked(active),
    differences: newest ? diffPlans(activePlan, newest) : [],
    candidateDifferences: observed ? diffPlans(newest, observed) : [],
    observation,
  };
}

const picked = ({ versions, mode, candidate }: Activation): ActivationPreview['before'] => ({
  versions,
  mode,
  ...(candidate !== undefined && { candidate }),
});

/** @throws OperationError when a plan may not refuse yet, because it was not observed for long enough. */
export function assertObserved({ observation, source }: ActivationPreview): void {
  if (!observation || observation.isLongEnough) return;
  const seen =
    observation.since === null ? 'it has judged nothing yet' : `it has judged messages since ${observation.since}`;
  throw new OperationError(
    `a plan may refuse after seven days of observation, and ${seen}: activate it for ${source} with --mode observe, or as --candidate`,
  );
}
