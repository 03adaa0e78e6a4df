import { isClosed, type ObjectShape, type Property, type Scalar, allowedTypes, type ValueType } from './plan.js';

/** A value that a plan describes, for people. */
export interface PlannedProperty {
  /** `items[].price` */
  readonly path: string;
  /** Any type when it is empty. */
  readonly types: readonly ValueType[];
  readonly isRequired: boolean;
  /** Further rules, in words: `at least 0`. */
  readonly rules: readonly string[];
  /** Empty without one. */
  readonly description: string;
}

/** Writes a value of an enum of the property with this path. */
export type WriteValue = (path: string, value: Scalar) => string;

const asJson: WriteValue = (_path, value) => JSON.stringify(value);

/** All values that an object has by its plan, also within others, in the order of the plan. */
export function listProperties(shape: ObjectShape, write: WriteValue = asJson): PlannedProperty[] {
  return listMembers(shape, '', write);
}

function listMembers(
  { properties = {}, required = [] }: ObjectShape,
  prefix: string,
  write: WriteValue,
): PlannedProperty[] {
  return Object.entries(properties).flatMap(([name, property]) =>
    listValues(property, `${prefix}${name}`, required.includes(name), write),
  );
}

function listValues(property: Property, path: string, isRequired: boolean, write: WriteValue): PlannedProperty[] {
  const { description = '', items } = property;
  const parent = {
    path,
    types: allowedTypes(property),
    isRequired,
    rules: describeRules(property, path, write),
    description,
  };
  return [
    parent,
    ...listMembers(property, `${path}.`, write),
    ...(items ? listValues(items, `${path}[]`, false, write) : []),
  ];
}

function describeRules(property: Property, path: string, write: WriteValue): string[] {
  const { minimum, maximum, maxLength, format, enum: values } = property;
  return [
    ...(values ? [`one of ${values.map((value) => write(path, value)).join(', ')}`] : []),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(format === undefined ? [] : [`format ${format}`]),
    ...describeOthers(property),
  ];
}

/** Describes whether an object may have members that its plan does not name; empty if the plan describes no object. */
export function describeOthers(shape: ObjectShape): string[] {
  if (isClosed(shape)) return ['no other properties'];
  return shape.properties === undefined ? [] : ['other properties too'];
}
