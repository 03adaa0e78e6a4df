import { isClosed, type ObjectShape, type Plan, type Property } from './plan.js';

export type PlanJsonSchema = Readonly<Record<string, unknown>>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** The JSON Schema of one event's properties, or of traits: each word of a plan has the same word there. */
export const buildShapeSchema = (shape: ObjectShape): PlanJsonSchema => ({ type: 'object', ...objectWords(shape) });

/** One JSON Schema of a whole plan, with a definition for each event and for the traits. */
export function buildPlanSchema({ version, description, events, traits }: Plan): PlanJsonSchema {
  const eventSchemas = Object.entries(events).map(([name, event]) => [name, buildShapeSchema(event)] as const);
  const properties = Object.fromEntries(
    eventSchemas.map(([name]) => [name, { $ref: `#/$defs/${escapePointer(name)}` }]),
  );
  return {
    $schema: dialect,
    title: `TrackingPlan${version}`,
    ...(description !== undefined && { description }),
    type: 'object',
    properties: { ...properties, ...(traits && { traits: { $ref: '#/$defs/traits' } }) },
    $defs: { ...Object.fromEntries(eventSchemas), ...(traits && { traits: buildShapeSchema(traits) }) },
  };
}

/** A name within a JSON Pointer within a URI. Names of events need no escaping; other names would. */
const escapePointer = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

function objectWords(shape: ObjectShape): PlanJsonSchema {
  const { description, properties, required, additionalProperties } = shape;
  const isStated = properties !== undefined || additionalProperties !== undefined;
  return {
    ...(description !== undefined && { description }),
    ...(properties && { properties: mapMembers(properties, buildPropertySchema) }),
    ...(required && { required }),
    ...(isStated && { additionalProperties: !isClosed(shape) }),
  };
}

function buildPropertySchema(property: Property): PlanJsonSchema {
  const { type, enum: values, minimum, maximum, maxLength, format, items } = property;
  return {
    ...(type !== undefined && { type }),
    ...objectWords(property),
    ...(values && { enum: values }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength }),
    ...(format !== undefined && { format }),
    ...(items && { items: buildPropertySchema(items) }),
  };
}

export const mapMembers = <T, U>(
  members: Readonly<Record<string, T>>,
  change: (member: T, name: string) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
