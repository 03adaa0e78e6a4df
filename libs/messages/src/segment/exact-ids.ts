import { type FreeForm, isObject } from '@sluice/contracts';

/** Members of an item that are ids, which clients also send as numbers. */
const idNames = ['userId', 'anonymousId', 'messageId', 'previousId', 'groupId'] as const;

/** Whether a number may have had other digits than its double. */
export const isInexact = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;

/** An item with its ids, and the name of an id whose digits are not known. */
export interface ExactItem {
  readonly item: unknown;
  readonly unknownId?: string;
}

/** Whether an item has an id of which a digit may be lost. Nearly none has, so the check makes no object. */
export function hasInexactId(item: unknown): boolean {
  if (!isObject(item)) return false;
  const { userId, anonymousId, messageId, previousId, groupId } = item;
  return (
    isInexact(userId) || isInexact(anonymousId) || isInexact(messageId) || isInexact(previousId) || isInexact(groupId)
  );
}

/**
 * Replaces ids that are numbers beyond ±2^53 by text with every digit that was sent: two ids that differ in the last
 * digit have one double. Other items are returned as they are.
 * @param readText gives the JSON text of the item
 */
export function withExactIds(sent: unknown, readText: () => string): ExactItem {
  if (!isObject(sent)) return { item: sent };
  let literals: ReadonlyMap<string, string> | undefined;
  let item: FreeForm | undefined;
  for (const name of idNames) {
    const value = sent[name];
    if (!isInexact(value)) continue;
    literals ??= readNumberLiterals(readText());
    const literal = literals.get(name);
    if (literal === undefined || Number(literal) !== value) return { item: sent, unknownId: name };
    item ??= { ...sent };
    item[name] = /^-?\d+$/.test(literal) ? literal : String(value);
  }
  return { item: item ?? sent };
}

// The `context` argument (ECMAScript 2026) holds the source text of the value; the library types lack it.
type Reviver = (this: unknown, name: string, value: unknown, context?: { source?: string }) => unknown;

/** Members in which other systems have ids of people, devices, groups and messages. */
const foreignIdNames: ReadonlySet<string> = new Set([
  ...['distinct_id', 'user_id', 'device_id', 'insert_id', 'event_id', 'uuid', 'alias', 'group_id'],
  ...['$user_id', '$device_id', '$insert_id', '$anon_distinct_id', '$group_key'],
]);

/**
 * Parses a record of another system. Ids that are numbers beyond ±2^53 become text with every digit, at any depth.
 * @throws SyntaxError
 */
export function parseForeignRecord(text: string): unknown {
  // A double returns up to 15 digits as they were written.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const keepDigits: Reviver = (name, value, context) =>
    foreignIdNames.has(name) && isInexact(value) && /^-?\d+$/.test(context?.source ?? '') ? context?.source : value;
  return withExactIds(JSON.parse(text, keepDigits), () => text).item;
}

/** Literals of the numbers among the members of the outermost object; none for what cannot be read. */
export function readNumberLiterals(text: string): ReadonlyMap<string, string> {
  const numbers: { holder: unknown; name: string; source: string }[] = [];
  const collect: Reviver = function (name, value, context) {
    if (isInexact(value) && context?.source !== undefined) numbers.push({ holder: this, name, source: context.source });
    return value;
  };
  try {
    const root: unknown = JSON.parse(text, collect);
    return new Map(numbers.filter(({ holder }) => holder === root).map(({ name, source }) => [name, source]));
  } catch {
    return new Map();
  }
}
