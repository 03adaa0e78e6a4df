import { isClosed, type ObjectShape, type Property, type Scalar, typesOf, type ValueType } from './plan.js';
import { valueFormats } from './value-formats.js';

/** An object of a plan, laid out for looking names up: no name is confused with one that every object inherits. */
export interface ObjectNode {
  readonly members: ReadonlyMap<string, ValueNode>;
  readonly required: readonly string[];
  readonly isClosed: boolean;
}

/** A value of a plan, laid out for checking. */
export interface ValueNode {
  readonly types: readonly ValueType[];
  readonly values: ReadonlySet<unknown> | undefined;
  readonly minimum: number;
  readonly maximum: number;
  readonly maxLength: number;
  readonly format: ((text: string) => boolean) | undefined;
  readonly object: ObjectNode | undefined;
  readonly items: ValueNode | undefined;
}

export const objectNodeOf = (shape: ObjectShape): ObjectNode => ({
  members: new Map(Object.entries(shape.properties ?? {}).map(([name, property]) => [name, valueNodeOf(property)])),
  required: shape.required ?? [],
  isClosed: isClosed(shape),
});

function valueNodeOf(property: Property): ValueNode {
  const types = typesOf(property);
  const { minimum = -Infinity, maximum = Infinity, maxLength = Infinity, format, items } = property;
  return {
    types,
    values: property.enum && new Set<Scalar>(property.enum),
    minimum,
    maximum,
    maxLength,
    format: format === undefined ? undefined : valueFormats.get(format),
    object: types.includes('object') ? objectNodeOf(property) : undefined,
    items: items && valueNodeOf(items),
  };
}

export function isOfType(value: unknown, type: ValueType): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'number':
      return Number.isFinite(value);
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}
