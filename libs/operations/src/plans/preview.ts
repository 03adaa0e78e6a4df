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
import { type Observation, readObservation } from './observation.js';

/** A change of the active plans of a source. */
export interface ActivationChange {
  readonly source: string;
  readonly versions: readonly number[];
  readonly mode: PlanMode;
  readonly candidate?: number;
}

/** Effects of a change of the active plans. */
export interface ActivationPreview extends ActivationChange {
  /** Active versions, maybe none, their mode, and the candidate; null without an activation. */
  readonly before: Pick<Activation, 'versions' | 'mode' | 'candidate'> | null;
  /** Differences between the newest active plan, if there is one, and the newest of the change; none without versions. */
  readonly differences: readonly PlanDifference[];
  /** Differences between the newest of the change, if it has versions, and its candidate; none without a candidate. */
  readonly candidateDifferences: readonly PlanDifference[];
  /** Null unless the change makes plans refuse or drop values. */
  readonly observation: Observation | null;
}

/** The plan of a version. @throws OperationError */
export function findPlan(registry: PlanRegistry, source: string, version: number): Plan {
  const plan = registry.plan(source, version);
  if (plan) return plan;
  const knownVersions = registry.listPlans(source).map((storedPlan) => storedPlan.version);
  const versionList = knownVersions.length === 0 ? 'it has none' : `it has ${knownVersions.join(', ')}`;
  throw new OperationError(`source ${source} has no plan of version ${version}; ${versionList}`);
}

/**
 * Reads the effects of a change.
 * @param select asks the ClickHouse whose rows show what would be refused or dropped; needed for mode refuse only
 * @throws OperationError for an unknown version; ServerUnreachableError
 */
export async function previewActivation(
  select: SelectRows | undefined,
  registry: PlanRegistry,
  change: ActivationChange,
): Promise<ActivationPreview> {
  const { source, versions, mode, candidate } = change;
  const plans = versions.map((version) => findPlan(registry, source, version));
  const newest = plans.toSorted((a, b) => b.version - a.version)[0];
  const candidatePlan = candidate === undefined ? undefined : findPlan(registry, source, candidate);
  const active = registry.activation(source) ?? null;
  const [activeVersion] = active?.versions ?? [];
  const activePlan = activeVersion === undefined ? undefined : registry.plan(source, activeVersion);
  const observe = (): Promise<Observation | null> =>
    select && versions.length > 0 ? readObservation(select, registry, source, versions) : Promise.resolve(null);
  return {
    ...change,
    before: active && pickActive(active),
    differences: newest ? diffPlans(activePlan, newest) : [],
    candidateDifferences: candidatePlan ? diffPlans(newest, candidatePlan) : [],
    observation: await observeForMode(mode, observe),
  };
}

/** A plan may drop values also while ClickHouse is unreachable: the preview then has no observation. */
async function observeForMode(mode: PlanMode, observe: () => Promise<Observation | null>): Promise<Observation | null> {
  if (mode === 'observe') return null;
  return mode === 'refuse' ? observe() : observe().catch(() => null);
}

const pickActive = ({ versions, mode, candidate }: Activation): ActivationPreview['before'] => ({
  versions,
  mode,
  ...(candidate !== undefined && { candidate }),
});

/** @throws OperationError when a plan may not refuse yet, because it was not observed for long enough. */
export function assertObserved({ mode, observation, source }: ActivationPreview): void {
  if (mode !== 'refuse' || !observation || observation.isLongEnough) return;
  const history =
    observation.since === null ? 'it has judged nothing yet' : `it has judged messages since ${observation.since}`;
  throw new OperationError(
    `a plan may refuse after seven days of observation, and ${history}: activate it for ${source} with --mode observe, or as --candidate`,
  );
}
