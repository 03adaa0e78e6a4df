import { isObject } from '@sluice/contracts';
import { joinMemberPath, ObjectReader } from './parse-object.js';
import {
  jsonTypes,
  type ObjectShape,
  planBounds,
  type Property,
  type Scalar,
  allowedTypes,
  type ValueType,
} from './plan.js';
import { type PlanProblem } from './plan-error.js';
import { valueFormats } from './value-formats.js';

const propertyName = /^[A-Za-z0-9_\-$]{1,64}$/;
const { depth: maxDepth, enum: maxEnum, properties: maxProperties, textLength, descriptionLength } = planBounds;

const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isFormat = (value: unknown): value is string => typeof value === 'string' && valueFormats.has(value);
const isScalar = (value: unknown): value is Scalar =>
  isFlag(value) || isNumber(value) || (typeof value === 'string' && value.length <= textLength && value.isWellFormed());
const isEnum = (value: unknown): value is Scalar[] =>
  Array.isArray(value) && value.length > 0 && value.length <= maxEnum && value.every(isScalar) && areDistinct(value);
const isType = (value: unknown): value is ValueType => jsonTypes.some((jsonType) => jsonType === value);
const areTypes = (value: unknown): value is ValueType | ValueType[] =>
  isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType) && areDistinct(value));
const areNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string') && areDistinct(value);

const areDistinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

export const isDescription = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= descriptionLength && value.isWellFormed();
export const descriptionMustBe = `text of at most ${descriptionLength} characters`;

/** Removes absent members, so that a parsed plan has no member that is undefined. */
export function omitAbsent<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  const members: Partial<T> = {};
  for (const name of Object.keys(value) as (keyof T)[]) if (value[name] !== undefined) members[name] = value[name];
  return members as T;
}

/** Reads the members that make an object's shape. `level` is that of the object: 1 for the properties of an event. */
export function readShape(reader: ObjectReader, problems: PlanProblem[], level: number): ObjectShape {
  const properties = readProperties(reader, problems, level);
  const required = reader.take('required', areNames, 'a list of names, each once');
  for (const name of required ?? []) {
    if (!Object.hasOwn(properties ?? {}, name))
      reader.refuse('required', `names ${JSON.stringify(name)}, which is not in properties`);
  }
  return omitAbsent<ObjectShape>({
    description: reader.take('description', isDescription, descriptionMustBe),
    properties,
    required,
    additionalProperties: reader.take('additionalProperties', isFlag, 'true or false'),
  });
}

function readProperties(reader: ObjectReader, problems: PlanProblem[], level: number): ObjectShape['properties'] {
  const value = reader.take('properties', isObject, 'an object');
  if (value === undefined) return undefined;
  const path = joinMemberPath(reader.path, 'properties');
  const entries = Object.entries(value);
  if (entries.length > maxProperties) reader.refuse('properties', `must be at most ${maxProperties}`);
  // Entries, not assignments: a property may be named like a member that every object inherits, such as `constructor`.
  return Object.fromEntries(
    entries.slice(0, maxProperties).flatMap(([name, property]) => {
      const propertyPath = joinMemberPath(path, name);
      if (!isPropertyName(name)) problems.push({ path: propertyPath, message: nameMustBe(name) });
      const parsedProperty = readProperty(property, propertyPath, problems, level);
      return parsedProperty ? [[name, parsedProperty] as const] : [];
    }),
  );
}

export const isPropertyName = (name: string): boolean => propertyName.test(name) && name !== '__proto__';

const nameMustBe = (name: string): string =>
  name.includes('.')
    ? 'the name has a dot: write it as an object in an object, as it is stored'
    : 'names must be 1 to 64 of the characters A-Z a-z 0-9 _ - $, and not __proto__';

function readProperty(value: unknown, path: string, problems: PlanProblem[], level: number): Property | undefined {
  const reader = ObjectReader.open(value, path, problems);
  if (!reader) return undefined;
  const type = reader.take('type', areTypes, `one of ${jsonTypes.join(', ')}, or a list of them`);
  const types = allowedTypes(omitAbsent<Property>({ type }));
  const isNested = types.includes('object') || types.includes('array');
  if (isNested && level >= maxDepth) reader.refuse('type', `is deeper than ${maxDepth} levels`);
  const shape = isNested && level >= maxDepth ? {} : readShape(reader, problems, level + 1);
  const property = omitAbsent<Property>({
    ...shape,
    type,
    enum: reader.take('enum', isEnum, `1 to ${maxEnum} different texts, numbers or booleans`),
    minimum: reader.take('minimum', isNumber, 'a number'),
    maximum: reader.take('maximum', isNumber, 'a number'),
    maxLength: reader.take('maxLength', isLength, 'a whole number from 0'),
    format: reader.take('format', isFormat, `one of ${[...valueFormats.keys()].join(', ')}`),
    items:
      reader.has('items') && level < maxDepth
        ? readProperty(reader.raw('items'), `${path}.items`, problems, level + 1)
        : undefined,
  });
  refuseMisplaced(reader, property, types);
  if (level < maxDepth) reader.end();
  return property;
}

/** Types that a word needs: it would check nothing without one of them. */
const typesByWord: readonly (readonly [keyof Property, readonly ValueType[]])[] = [
  ['minimum', ['number', 'integer']],
  ['maximum', ['number', 'integer']],
  ['maxLength', ['string']],
  ['format', ['string']],
  ['items', ['array']],
  ['properties', ['object']],
  ['required', ['object']],
  ['additionalProperties', ['object']],
];

function refuseMisplaced(reader: ObjectReader, property: Property, types: readonly ValueType[]): void {
  for (const [word, neededTypes] of typesByWord) {
    if (property[word] !== undefined && !neededTypes.some((type) => types.includes(type)))
      reader.refuse(word, `needs the type ${neededTypes.join(' or ')}`);
  }
  const { minimum = -Infinity, maximum = Infinity } = property;
  if (minimum > maximum) reader.refuse('minimum', 'is above maximum');
}
