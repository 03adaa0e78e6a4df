import { isClosed, type ObjectShape, type Plan, type Property, typesOf } from './plan.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** The JSON Schema of one event's properties, or of traits: each word of a plan has the same word there. */
export const schemaOfShape = (shape: ObjectShape): JsonSchema => ({ type: 'object', ...objectWords(shape) });

/** One JSON Schema of a whole plan, with a definition for each event and for the traits. */
export function schemaOfPlan({ version, description, events, traits }: Plan): JsonSchema {
  const named = Object.entries(events).map(([name, event]) => [name, schemaOfShape(event)] as const);
  const properties = Object.fromEntries(named.map(([name]) => [name, { $ref: `#/$defs/${pointer(name)}` }]));
  return {
    $schema: dialect,
    title: `TrackingPlan${version}`,
    ...(description !== undefined && { description }),
    type: 'object',
    properties: { ...properties, ...(traits && { traits: { $ref: '#/$defs/traits' } }) },
    $defs: { ...Object.fromEntries(named), ...(traits && { traits: schemaOfShape(traits) }) },
  };
}

/** A name within a JSON Pointer within a URI. Names of events need no escaping; others do. */
const pointer = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

function objectWords(shape: ObjectShape): JsonSchema {
  const { description, properties, required, additionalProperties } = shape;
  const isStated = properties !== undefined || additionalProperties !== undefined;
  return {
    ...(description !== undefined && { description }),
    ...(properties && { properties: mapped(properties, schemaOfProperty) }),
    ...(required && { required }),
    ...(isStated && { additionalProperties: !isClosed(shape) }),
  };
}

function schemaOfProperty(property: Property): JsonSchema {
  const { type, enum: values, minimum, maximum, maxLength, format, items } = property;
  return {
    ...(type !== undefined && { type }),
    ...objectWords(property),
    ...(values && { enum: values }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength }),
    ...(format !== undefined && { format }),
    ...(items && { items: schemaOfProperty(items) }),
  };
}

export const mapped = <T, U>(
  members: Readonly<Record<string, T>>,
  change: (member: T, name: string) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));

/** Name of the format that a name without a dot has. A name with dots is stored as objects, and judged as such. */
export const undotted = 'x-undotted';

/** Word of the compiled schema: a list of the names that an object may have, apart from members that are null. */
export const noOtherNames = 'x-no-other-names';
/** Objects with more names are looked up in a table. */
const maxComparedNames = 64;

const anyValue = ['string', 'number', 'boolean', 'object', 'array'];

/**
 * The schema that is compiled: that of the shape, on the object as it is stored. A member that is null counts as absent,
 * because ClickHouse does not store it; an object with a dotted name is refused, so that it is looked at again as stored.
 */
export function storedSchemaOf(shape: ObjectShape): JsonSchema {
  return { type: 'object', ...storedObjectWords(shape) };
}

function storedObjectWords(shape: ObjectShape): JsonSchema {
  const { properties, required = [] } = shape;
  if (properties === undefined && !isClosed(shape)) return {};
  const planned = properties ?? {};
  return {
    properties: mapped(planned, (property, name) => storedSchemaOfMember(property, required.includes(name))),
    ...(required.length > 0 && { required }),
    ...(isClosed(shape) ? noOthers(Object.keys(planned)) : { propertyNames: { format: undotted } }),
  };
}

const noOthers = (names: readonly string[]): JsonSchema =>
  names.length <= maxComparedNames ? { [noOtherNames]: names } : { additionalProperties: { type: 'null' } };

/** The schema of a member: with null, unless it is required. */
function storedSchemaOfMember(property: Property, isRequired: boolean): JsonSchema {
  const schema = storedSchemaOfValue(property);
  const types = typesOf(property);
  if (isRequired) return types.length > 0 ? schema : { ...schema, type: anyValue };
  return {
    ...schema,
    ...(types.length > 0 && { type: [...types, 'null'] }),
    ...(property.enum && { enum: [...property.enum, null] }),
  };
}

function storedSchemaOfValue(property: Property): JsonSchema {
  const { enum: values, minimum, maximum, maxLength, format, items } = property;
  const types = typesOf(property);
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(types.includes('object') && storedObjectWords(property)),
    ...(values && { enum: values }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength }),
    ...(format !== undefined && { format }),
    ...(items && { items: storedSchemaOfValue(items) }),
  };
}
