import { joinPath, type Problem } from '@sluice/messages';

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

/**
 * The problem that an answer names for a violation such as `wrong_type:total`.
 * @param path of the message in the body
 * @param bag field whose members the plan describes: `properties` or `traits`
 */
export function toProblem(violation: string, path: string, bag: string): Problem {
  const [rule, memberPath] = splitViolation(violation);
  const field = rule === 'unknown_event' ? 'event' : memberPath === '' ? bag : joinPath(bag, memberPath);
  return { field: joinPath(path, field), message: describeRule(rule) };
}

/** Words of the answer for a value that a plan in mode `drop` leaves out: the rule that it breaks. */
export const describeViolation = (violation: string): string => describeRule(splitViolation(violation)[0]);

const describeRule = (rule: string): string => texts.get(rule) ?? 'does not fit the plan';

function splitViolation(violation: string): [rule: string, place: string] {
  const colon = violation.indexOf(':');
  return colon < 0 ? [violation, ''] : [violation.slice(0, colon), violation.slice(colon + 1)];
}
