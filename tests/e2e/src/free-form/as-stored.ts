import { isObject } from '@sluice/contracts';

/** JSON text with sorted names and no white space, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  if (value instanceof Branch) return canonical(value.members);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.sort().join(',')}}`;
}

/** The stored rest of an object, and the paths of dropped values. */
export interface StoredExpectation {
  stored: object;
  dropped: string[];
}

/** The rules of docs/api.md#free-form-values in a plain, slow form. Tests compare the gateway with them. */
export function expectStored(sent: object, path: string): StoredExpectation {
  const dropped: string[] = [];
  const stored = keptObject(sent, path, 1, dropped);
  return { stored, dropped };
}

function keptObject(sent: object, path: string, level: number, dropped: string[]): object {
  const tree = Object.create(null) as Record<string, unknown>;
  collect(sent, path, level, [], tree, dropped);
  return tree;
}

/** Puts the members into the tree below `parts`; dots in names separate levels. */
function collect(
  sent: object,
  path: string,
  level: number,
  parts: string[],
  tree: Record<string, unknown>,
  dropped: string[],
): void {
  for (const [name, value] of Object.entries(sent) as [string, unknown][]) {
    const memberPath = `${path}.${name}`;
    const below = [...parts, ...name.split('.')];
    const levels = level + name.split('.').length - 1;
    if (!isStorable(name) || levels > 8) dropped.push(memberPath);
    else if (isObject(value) && levels < 8) collect(value, memberPath, levels + 1, below, tree, dropped);
    else {
      const stored = keptValue(value, memberPath, levels, dropped);
      if (stored === undefined || stored === null) continue;
      if (!put(tree, below, stored)) dropped.push(memberPath);
    }
  }
}

const isStorable = (name: string): boolean =>
  name.split('.').every((part) => part !== '') && name.isWellFormed() && codePoints(name) <= 4_096;

const codePoints = (text: string): number => Array.from(text).length;

/** The value to store; undefined if it is dropped. */
function keptValue(value: unknown, path: string, level: number, dropped: string[]): unknown {
  const drop = (): unknown => {
    dropped.push(path);
    return undefined;
  };
  if (typeof value === 'string') return value.isWellFormed() && codePoints(value) <= 4_096 ? value : drop();
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) > 2 ** 53 ? drop() : value;
  if (typeof value !== 'object' || value === null) return value;
  if (level >= 8) return drop();
  if (!Array.isArray(value)) return keptObject(value, path, level + 1, dropped);
  if (value.length > 256) return drop();
  const items = value.map((item: unknown, index) => keptValue(item, `${path}[${index}]`, level + 1, dropped));
  const losesNulls = !items.some((item) => ['string', 'number', 'boolean'].includes(typeof item));
  if (losesNulls) dropped.push(...items.flatMap((item, index) => (item === null ? `${path}[${index}]` : [])));
  return items.filter((item) => item !== undefined && !(losesNulls && item === null));
}

/** Returns false if the path, or one above or below it, already has a value. */
function put(tree: Record<string, unknown>, parts: readonly string[], value: unknown): boolean {
  const [part = '', ...rest] = parts;
  if (rest.length === 0) {
    if (part in tree) return false;
    tree[part] = value;
    return true;
  }
  const branch = (tree[part] ??= new Branch());
  return branch instanceof Branch && put(branch.members, rest, value);
}

/** An object of the path tree, as opposed to an object inside an array. */
class Branch {
  readonly members = Object.create(null) as Record<string, unknown>;
}
