import { type FreeForm, isObject } from '@sluice/contracts';
import { valueKind, type ObjectNode, requiredBit, type ValueNode } from './plan-node.js';
import { type ViolationRule } from './violations.js';

/**
 * Whether an object fits as it is; one with a dotted name does not, even where the plan is open. Most messages fit, so
 * this walk allocates nothing; `Explanation` decides alike and says why.
 */
export function fits(node: ObjectNode, sent: FreeForm): boolean {
  const { names, bits, indexes, values } = node;
  let missing = node.required.length;
  let expected = 0;
  // `for in` is safe without a check of each name: a parsed object inherits nothing enumerable.
  for (const name in sent) {
    const value = sent[name];
    if (value === null || value === undefined) continue;
    const index = names[expected] === name ? expected : indexes.get(name);
    if (index !== undefined) {
      const memberBits = bits[index] ?? 0;
      if ((memberBits & valueKind(value)) === 0) {
        const planned = values[index];
        if (!planned || !valueFits(planned, value)) return false;
      }
      if ((memberBits & requiredBit) !== 0) missing--;
      expected = index + 1;
    } else if (node.isClosed || name.includes('.')) return false;
  }
  return missing === 0;
}

const valueFits = (node: ValueNode, value: unknown): boolean =>
  node.isPlain ? (node.kinds & valueKind(value)) !== 0 : rulesFit(node, value);

function rulesFit(node: ValueNode, value: unknown): boolean {
  if (findBrokenRule(node, value)) return false;
  const { object, items } = node;
  if (object && isObject(value)) return fits(object, value);
  return !items || !Array.isArray(value) || value.every((item) => valueFits(items, item));
}

/** The rule that a value breaks, apart from those of its members and items. */
export function findBrokenRule(node: ValueNode, value: unknown): ViolationRule | undefined {
  const { kinds, values, minimum, maximum, maxLength, format } = node;
  if ((kinds & valueKind(value)) === 0) return 'wrong_type';
  if (values && !values.has(value)) return 'not_in_enum';
  if (typeof value === 'number')
    return value < minimum ? 'below_minimum' : value > maximum ? 'above_maximum' : undefined;
  if (typeof value !== 'string') return undefined;
  if (isLongerThan(maxLength, value)) return 'too_long';
  return format && !format(value) ? 'wrong_format' : undefined;
}

/** Counts characters as JSON Schema does. A character has one or two UTF-16 units, so most texts need no counting. */
function isLongerThan(maxLength: number, text: string): boolean {
  if (text.length <= maxLength || text.length > 2 * maxLength) return text.length > maxLength;
  return Array.from(text).length > maxLength;
}
