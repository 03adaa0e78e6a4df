import { join, type Problem } from '@sluice/messages';

/** Words of the answer for each rule of a plan. */
const texts: ReadonlyMap<string, string> = new Map([
  ['unknown_event', 'is not an event of the plan'],
  ['missing', 'is required by the plan'],
  ['unknown', 'is not in the plan'],
  ['wrong_type', 'has a type that the plan does not allow'],
  ['not_in_enum', 'is not one of the values of the plan'],
  ['below_minimum', 'is below the minimum of the plan'],
  ['above_maximum', 'is above the maximum of the plan'],
  ['too_long', 'is longer than the plan allows'],
  ['wrong_format', 'does not have the format of the plan'],
  ['more', 'has more violations of the plan'],
]);

/** Words of the answer for a value that a plan in mode `drop` leaves out. */
export const notInPlan = 'is not allowed by the plan';

/**
 * The problem that an answer names for a violation such as `wrong_type:total`.
 * @param path of the message in the body
 * @param bag field whose members the plan describes: `properties` or `traits`
 */
export function problemOf(violation: string, path: string, bag: string): Problem {
  const colon = violation.indexOf(':');
  const [rule, place] = colon < 0 ? [violation, ''] : [violation.slice(0, colon), violation.slice(colon + 1)];
  const field = rule === 'unknown_event' ? 'event' : place === '' ? bag : join(bag, place);
  return { field: join(path, field), message: texts.get(rule) ?? 'does not fit the plan' };
}
