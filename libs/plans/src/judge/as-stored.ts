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
export function toStoredForm(value: FreeForm): FreeForm {
  const stored = emptyObject();
  merge(stored, value);
  return stored;
}

/** Without a prototype, a member named __proto__ is a member like any other. */
const emptyObject = (): FreeForm => Object.create(null) as FreeForm;

function merge(stored: FreeForm, sent: FreeForm): void {
  for (const [name, value] of Object.entries(sent)) {
    if (value === null || value === undefined) continue;
    const path = name.split('.');
    const last = path.pop() ?? name;
    const parent = descend(stored, path);
    if (parent) place(parent, last, value);
  }
}

/** The object at the path, made where there is none; undefined when another value is in the way. */
function descend(root: FreeForm, path: readonly string[]): FreeForm | undefined {
  let level = root;
  for (const name of path) {
    const next = (level[name] ??= emptyObject());
    if (!isObject(next)) return undefined;
    level = next;
  }
  return level;
}

function place(parent: FreeForm, name: string, value: unknown): void {
  const present = parent[name];
  if (isObject(value) && (present === undefined || isObject(present))) {
    const target = present ?? emptyObject();
    parent[name] = target;
    merge(target, value);
  } else if (present === undefined) parent[name] = Array.isArray(value) ? value.map(itemToStoredForm) : value;
}

const itemToStoredForm = (item: unknown): unknown =>
  isObject(item) ? toStoredForm(item) : Array.isArray(item) ? item.map(itemToStoredForm) : item;
