import { isClosed, type ObjectShape, type Property, type Scalar, allowedTypes, type ValueType } from '../plan/plan.js';
import { valueFormats } from '../plan/value-formats.js';

/**
 * An object of a plan, laid out for lookups: by a Map, because plain objects inherit names. The data that each message
 * is compared with is in parallel arrays: an object per member would cost a cache miss each.
 */
export interface ObjectNode {
  /** Names of the planned members. Clients tend to send members in this order, or a part of it. */
  readonly names: readonly string[];
  /** Bits of each member: kinds allowed (see `valueKind`) if only its type is checked, else 0; plus `requiredBit` if required. */
  readonly bits: Uint8Array;
  readonly values: readonly ValueNode[];
  /** Indexes by name. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly required: readonly string[];
  readonly isClosed: boolean;
}

/** A value of a plan, laid out for checking. */
export interface ValueNode {
  /** Kinds that its types allow, as bits: see `valueKind`. */
  readonly kinds: number;
  /** True if only its type is checked. */
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

export function buildObjectNode(shape: ObjectShape): ObjectNode {
  const { properties = {}, required = [] } = shape;
  const names = Object.keys(properties);
  const values = Object.values(properties).map(buildValueNode);
  const memberBits = ({ isPlain, kinds }: ValueNode, index: number): number =>
    (isPlain ? kinds : 0) | (required.includes(names[index] ?? '') ? requiredBit : 0);
  return {
    names,
    bits: Uint8Array.from(values, memberBits),
    values,
    indexes: new Map(names.map((name, index) => [name, index])),
    required,
    isClosed: isClosed(shape),
  };
}

function buildValueNode(property: Property): ValueNode {
  const types = allowedTypes(property);
  const { minimum = -Infinity, maximum = Infinity, maxLength = Infinity, format, items } = property;
  const describesObject = types.includes('object') && (property.properties !== undefined || isClosed(property));
  const keywords = [property.enum, property.minimum, property.maximum, property.maxLength, format, items];
  return {
    kinds: types.length === 0 ? anyKind : types.reduce((kinds, type) => kinds | kindsByType[type], 0),
    isPlain: !describesObject && keywords.every((keyword) => keyword === undefined),
    values: property.enum && new Set<Scalar>(property.enum),
    minimum,
    maximum,
    maxLength,
    format: format === undefined ? undefined : valueFormats.get(format),
    object: describesObject ? buildObjectNode(property) : undefined,
    items: items && buildValueNode(items),
  };
}

/** Kinds of values, one bit each. */
const kindBit = { string: 1, boolean: 2, whole: 4, fraction: 8, array: 16, object: 32, other: 64 } as const;
const anyKind = 127;
/** A bit that no kind uses. */
export const requiredBit = 128;

const kindsByType: Readonly<Record<ValueType, number>> = {
  string: kindBit.string,
  boolean: kindBit.boolean,
  integer: kindBit.whole,
  number: kindBit.whole | kindBit.fraction,
  array: kindBit.array,
  object: kindBit.object,
};

/** The kind of a value, as a bit. A number that JSON cannot write (1e999 is read as infinite) is of no type. */
export function valueKind(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return kindBit.string;
    case 'boolean':
      return kindBit.boolean;
    case 'number':
      return Number.isInteger(value) ? kindBit.whole : Number.isFinite(value) ? kindBit.fraction : kindBit.other;
    case 'object':
      return value === null ? kindBit.other : Array.isArray(value) ? kindBit.array : kindBit.object;
    default:
      return kindBit.other;
  }
}
