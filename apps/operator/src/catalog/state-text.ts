import { isObject, type JsonType, parseDateTime, plainDecimal, readFieldTypes } from '@sluice/contracts';
import { entities, type EntityType } from './entity-type.js';

/** Fields that are not compared as part of a state. */
const apart: ReadonlySet<string> = new Set(['updatedAt']);

interface StateField {
  readonly name: string;
  readonly column: string;
  readonly type: JsonType;
  readonly isTime: boolean;
}

/** An entity as it is compared: all that it is, as one text, and the sender's time. */
export interface StateText {
  readonly text: string;
  /** Milliseconds since 1970; undefined if the sender gave none. */
  readonly updatedAt: number | undefined;
}

const toColumn = (name: string): string =>
  name === 'isMarketPlaceOwner'
    ? 'is_marketplace_owner'
    : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Compares records of a file with rows of the view of their type: equal states have equal texts. */
export class StateTexts {
  private readonly fields: readonly StateField[];

  constructor(readonly type: EntityType) {
    const { message, idField } = entities[type];
    this.fields = [...readFieldTypes(message)]
      .filter(([name]) => name !== idField && !apart.has(name))
      .map(([name, fieldType]) => ({ name, column: toColumn(name), type: fieldType, isTime: name === 'createdAt' }));
  }

  /** Columns of the view that `readRow` needs, without the id. */
  get columns(): string[] {
    return [...this.fields.map(({ column }) => column), 'updated_at'];
  }

  /** The state in a record, as JSON text; undefined if it has a value that is not of its field's type. */
  readRecord(json: string): StateText | undefined {
    const { value, literals } = parseRecord(json);
    if (!isObject(value)) return undefined;
    const values = this.fields.map(({ name, type, isTime }) => {
      const member = value[name] ?? undefined;
      const literal = literals?.get(name);
      if (type === 'number' && typeof member === 'number') return plainDecimal(literal ?? String(member));
      return isTime ? normalizeTime(member) : normalize(member, type);
    });
    const { updatedAt } = value;
    const time = typeof updatedAt === 'string' ? parseDateTime(updatedAt) : undefined;
    return values.includes(undefined) ? undefined : { text: JSON.stringify(values), updatedAt: time };
  }

  /** The state in a row, whose decimals are text and whose times are ISO 8601. */
  readRow(row: Readonly<Record<string, unknown>>): StateText {
    const values = this.fields.map(({ column, type, isTime }) => {
      const value = row[column] ?? undefined;
      if (type === 'number' && typeof value === 'string') return plainDecimal(value);
      return isTime ? normalizeTime(value) : normalize(value, type);
    });
    const { updated_at: updatedAt } = row;
    return {
      text: JSON.stringify(values),
      updatedAt: typeof updatedAt === 'string' ? Date.parse(updatedAt) : undefined,
    };
  }
}

type Reviver = (this: unknown, name: string, value: unknown, context?: { source?: string }) => unknown;

/** Parses a record, with the literals of its numbers if some may have more digits than a double. */
function parseRecord(json: string): { value: unknown; literals?: ReadonlyMap<string, string> } {
  try {
    if (!/[\d.]{16}|e-\d{3}/i.test(json)) return { value: JSON.parse(json) };
    const numbers: { holder: unknown; name: string; source: string }[] = [];
    const collect: Reviver = function (name, value, context) {
      if (typeof value === 'number') numbers.push({ holder: this, name, source: context?.source ?? String(value) });
      return value;
    };
    const value: unknown = JSON.parse(json, collect);
    const ownNumbers = numbers.filter(({ holder }) => holder === value);
    return { value, literals: new Map(ownNumbers.map(({ name, source }) => [name, source])) };
  } catch {
    return { value: undefined };
  }
}

/** A time as text, or null; undefined for what is not a time. */
function normalizeTime(value: unknown): string | null | undefined {
  if (value === undefined) return null;
  const time = typeof value === 'string' ? parseDateTime(value) : NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** A value as the table has it, a missing one included; undefined for one of another type. */
function normalize(value: unknown, type: JsonType): unknown {
  switch (type) {
    case 'string':
      return value === undefined ? '' : typeof value === 'string' ? value : undefined;
    case 'number':
      return value === undefined ? null : undefined;
    case 'integer':
      return typeof value === 'number' ? value + 0 : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'array':
      return value === undefined ? [] : Array.isArray(value) ? value : undefined;
    case 'object':
      return value === undefined ? {} : isObject(value) ? (normalizeMember(value) ?? {}) : undefined;
  }
}

/**
 * A free-form value as it is read back (docs/api.md#free-form-values): without members that are null or empty objects,
 * with dots as levels, and with its names in order. Undefined for nothing.
 */
function normalizeMember(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((item: unknown) => normalizeMember(item) ?? null);
  if (!isObject(value)) return value === 0 ? 0 : value;
  const tree: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) addMember(tree, name.split('.'), member);
  const members = Object.entries(tree)
    .map(([name, member]) => [name, normalizeMember(member)] as const)
    .filter(([, member]) => member !== undefined)
    .sort(([name], [otherName]) => (name < otherName ? -1 : 1));
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Adds a member at a path; a value that is there already stays. */
function addMember(tree: Record<string, unknown>, path: readonly string[], member: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    const present = tree[name];
    if (isObject(present) && isObject(member))
      for (const [inner, innerMember] of Object.entries(member)) addMember(present, inner.split('.'), innerMember);
    else tree[name] ??= isObject(member) ? { ...member } : member;
    return;
  }
  const branch = (tree[name] ??= {});
  if (isObject(branch)) addMember(branch, rest, member);
}
