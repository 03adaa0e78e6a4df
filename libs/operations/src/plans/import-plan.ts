import {
  convertPlan,
  diffPlans,
  type ForeignForm,
  nextVersion,
  parsePlan,
  type Plan,
  type PlanDifference,
  PlanError,
  type PlanImport,
  preparePlanImport,
  type PlanRegistry,
} from '@sluice/plans';
import { OperationError } from '../operation-error.js';

/** A file that may be a plan. */
export interface PlanFile {
  /** Name for messages. */
  readonly name: string;
  readonly value: unknown;
  /** The service whose form the file has; undefined for our own form. */
  readonly from: ForeignForm | undefined;
  /** Sources of a plan of another service; our own form names them. */
  readonly sources: readonly string[] | undefined;
  readonly snakeCase: boolean;
}

/** Changes that an import of a plan makes, or would make. */
export interface ImportedPlan extends Pick<PlanImport, 'created' | 'unchanged'> {
  readonly version: number;
  /** Version that it was compared with. */
  readonly before: number | undefined;
  readonly differences: readonly PlanDifference[];
}

/**
 * Reads a file at once. A plan of another service gets the next version, which only the registry knows.
 * @throws OperationError that names each wrong member
 */
export function openPlan({ name, value, from, sources, snakeCase }: PlanFile): (registry: PlanRegistry) => Plan {
  if (from === undefined) {
    const plan = requirePlan(name, () => parsePlan(value));
    return () => plan;
  }
  const target = sources ?? [];
  const convert = (version: number): Plan =>
    requirePlan(name, () => convertPlan(from, value, { version, sources: target, snakeCase }));
  convert(1);
  return (registry) => convert(nextVersion(registry, target));
}

/** Compares with the newest other version of the first source. */
export function compareWithStored(registry: PlanRegistry, plan: Plan): ImportedPlan {
  const before = planBefore(registry, plan);
  const { created, unchanged } = preparePlanImport(registry, plan);
  return { version: plan.version, created, unchanged, before: before?.version, differences: diffPlans(before, plan) };
}

function planBefore(registry: PlanRegistry, { sources: [source = ''], version }: Plan): Plan | undefined {
  return registry
    .listPlans(source)
    .filter((plan) => plan.version !== version)
    .at(-1);
}

/** @throws OperationError in place of a PlanError. */
export function requirePlan(name: string, make: () => Plan): Plan {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw new OperationError(`${name} is not a plan that can be imported:\n${indentLines(error.message)}`);
  }
}

const indentLines = (lines: string): string => lines.replace(/^/gm, '  ');
