import { type FreeForm, isObject } from '@sluice/contracts';

/** Whether a name anywhere in the value has a dot. */
export function hasDottedName(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasDottedName);
  if (!isObject(value)) return false;
  for (const name of Object.keys(value)) if (name.includes('.') || hasDottedName(value[name])) return true;
  return false;
}

/**
 * A copy as ClickHouse stores it: `{"a.b":1}` is `{"a":{"b":1}}`, and members that are null are gone. Of two values at one
 * path the first counts; the gateway has dropped the other (docs/decisions/0006-free-form-values.md).
 */
export function asStored(value: FreeForm): FreeForm {
  const stored = emptyObject();
  merge(stored, value);
  return stored;
}

/** Without a prototype, a member named __proto__ is a member like any other. */
const emptyObject = (): FreeForm => Object.create(null) as FreeForm;

function merge(into: FreeForm, from: FreeForm): void {
  for (const [name, value] of Object.entries(from)) {
    if (value === null || value === undefined) continue;
    const path = name.split('.');
    const last = path.pop() ?? name;
    const parent = descend(into, path);
    if (parent) place(parent, last, value);
  }
}

/** The object at the path, made where there is none; undefined when another value is in the way. */
function descend(from: FreeForm, path: readonly string[]): FreeForm | undefined {
  let at = from;
  for (const name of path) {
    const next = (at[name] ??= emptyObject());
    if (!isObject(next)) return undefined;
    at = next;
  }
  return at;
}

function place(parent: FreeForm, name: string, value: unknown): void {
  const present = parent[name];
  if (isObject(value) && (present === undefined || isObject(present))) {
    const target = present ?? emptyObject();
    parent[name] = target;
    merge(target, value);
  } else if (present === undefined) parent[name] = Array.isArray(value) ? value.map(itemAsStored) : value;
}

const itemAsStored = (item: unknown): unknown =>
  isObject(item) ? asStored(item) : Array.isArray(item) ? item.map(itemAsStored) : item;
