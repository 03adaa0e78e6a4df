import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@sluice/contracts';
import { joinMemberPath } from './parse-object.js';
import { type Plan } from './plan.js';

/** One difference between two plans, by the path of the member: `events.order_completed.properties.total.type`. */
export interface PlanDifference {
  readonly path: string;
  /** Undefined when the member is new. */
  readonly before: unknown;
  /** Undefined when the member is gone. */
  readonly after: unknown;
}

/** Differences of what two plans demand, in the order of the document. Version and sources are not compared. */
export function diffPlans(before: Plan | undefined, after: Plan): PlanDifference[] {
  const differences: PlanDifference[] = [];
  collect(readDemands(before), readDemands(after), '', differences);
  return differences;
}

/** An absent plan has no events. */
function readDemands(plan: Plan | undefined): Record<string, unknown> {
  if (!plan) return { events: {} };
  const { mode, additionalEvents, events, traits } = plan;
  return { mode, additionalEvents, events, traits };
}

function collect(before: unknown, after: unknown, path: string, differences: PlanDifference[]): void {
  if (isDeepStrictEqual(before, after)) return;
  if (!isObject(before) || !isObject(after)) {
    differences.push({ path, before, after });
    return;
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names)
    collect(readMember(before, name), readMember(after, name), joinMemberPath(path, name), differences);
}

const readMember = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
