import { isClosed, type ObjectShape, type Property, type Scalar, typesOf, type ValueType } from './plan.js';
import { valueFormats } from './value-formats.js';

/** An object of a plan, laid out for looking names up: no name is confused with one that every object inherits. */
export interface ObjectNode {
  readonly members: ReadonlyMap<string, MemberNode>;
  /** The first planned member. Clients tend to send members in the order of the plan, or in part of it. */
  readonly first: MemberNode | undefined;
  readonly required: readonly string[];
  readonly isClosed: boolean;
}

/** A planned member of an object. */
export interface MemberNode {
  readonly name: string;
  readonly isRequired: boolean;
  readonly value: ValueNode;
  /** The member that the plan names after this one. */
  next: MemberNode | undefined;
}

/** A value of a plan, laid out for checking. */
export interface ValueNode {
  /** Kinds that its types allow, as bits: see `kindOf`. */
  readonly kinds: number;
  /** Whether nothing but its type counts. */
  readonly isPlain: boolean;
  readonly values: ReadonlySet<unknown> | undefined;
  readonly minimum: number;
  readonly maximum: number;
  readonly maxLength: number;
  readonly format: ((text: string) => boolean) | undefined;
  /** Undefined when every object fits. */
  readonly object: ObjectNode | undefined;
  readonly items: ValueNode | undefined;
}

export function objectNodeOf(shape: ObjectShape): ObjectNode {
  const { properties = {}, required = [] } = shape;
  const members = Object.entries(properties).map(([name, property]): MemberNode => ({
    name,
    isRequired: required.includes(name),
    value: valueNodeOf(property),
    next: undefined,
  }));
  for (const [index, member] of members.entries()) member.next = members[index + 1];
  return {
    members: new Map(members.map((member) => [member.name, member])),
    first: members[0],
    required,
    isClosed: isClosed(shape),
  };
}

function valueNodeOf(property: Property): ValueNode {
  const types = typesOf(property);
  const { minimum = -Infinity, maximum = Infinity, maxLength = Infinity, format, items } = property;
  const describesObject = types.includes('object') && (property.properties !== undefined || isClosed(property));
  const words = [property.enum, property.minimum, property.maximum, property.maxLength, format, items];
  return {
    kinds: types.length === 0 ? anyKind : types.reduce((kinds, type) => kinds | kindsOfType[type], 0),
    isPlain: !describesObject && words.every((word) => word === undefined),
    values: property.enum && new Set<Scalar>(property.enum),
    minimum,
    maximum,
    maxLength,
    format: format === undefined ? undefined : valueFormats.get(format),
    object: describesObject ? objectNodeOf(property) : undefined,
    items: items && valueNodeOf(items),
  };
}

/** Kinds of values, one bit each. */
const kind = { string: 1, boolean: 2, whole: 4, fraction: 8, array: 16, object: 32, other: 64 } as const;
const anyKind = 127;

const kindsOfType: Readonly<Record<ValueType, number>> = {
  string: kind.string,
  boolean: kind.boolean,
  integer: kind.whole,
  number: kind.whole | kind.fraction,
  array: kind.array,
  object: kind.object,
};

/** The kind of a value, as a bit. A number that JSON cannot write (1e999 is read as infinite) is of no type. */
export function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return kind.string;
    case 'boolean':
      return kind.boolean;
    case 'number':
      return Number.isInteger(value) ? kind.whole : Number.isFinite(value) ? kind.fraction : kind.other;
    case 'object':
      return value === null ? kind.other : Array.isArray(value) ? kind.array : kind.object;
    default:
      return kind.other;
  }
}
