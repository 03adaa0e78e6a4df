import { isClosed, type ObjectShape, type Plan, type Property } from './plan.js';

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

/** A name within a JSON Pointer within a URI. Names of events need no escaping; other names would. */
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
