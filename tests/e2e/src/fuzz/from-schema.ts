import fc from 'fast-check';

/** The part of JSON Schema that the gateway's OpenAPI document uses. */
export interface FuzzSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: FuzzSchema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, FuzzSchema>;
  required?: string[];
  additionalProperties?: boolean | FuzzSchema;
  propertyNames?: { pattern?: string };
  items?: FuzzSchema;
  minItems?: number;
  maxItems?: number;
}
export type Components = Readonly<Record<string, FuzzSchema>>;

const dateTimes = ['2024-02-29T10:20:30Z', '1970-01-01T03:30:00.000+03:30', '2149-06-06T23:59:59Z'];

/** Generates values that match a schema, and occasionally one that does not. */
export function anyValues(schema: FuzzSchema, components: Components, depth = 4): fc.Arbitrary<unknown> {
  const sane = saneValues(schema, components, depth);
  return fc.oneof({ weight: 12, arbitrary: sane }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });
}

function saneValues(schema: FuzzSchema, components: Components, depth: number): fc.Arbitrary<unknown> {
  if (depth < 0) return fc.constant(null);
  if (schema.$ref !== undefined)
    return anyValues(components[schema.$ref.replace('#/components/schemas/', '')] ?? {}, components, depth - 1);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const ofObject = schema.properties ? [] : (schema.anyOf ?? []);
  if (ofObject.length > 0) return fc.oneof(...ofObject.map((variant) => anyValues(variant, components, depth)));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof(...types.map((type) => valuesOfType(type, schema, components, depth)));
}

function valuesOfType(type: string, schema: FuzzSchema, components: Components, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return texts(schema);
    case 'number':
    case 'integer':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const { minItems = 0, maxItems = 4, items = {} } = schema;
      const bounds = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 4) };
      return fc.array(anyValues(items, components, depth - 1), bounds);
    }
    case 'object':
      return objects(schema, components, depth);
    default:
      return fc.constant(null);
  }
}

function texts({ pattern, format, minLength = 0, maxLength = 32 }: FuzzSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom(...dateTimes);
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'binary', minLength, maxLength });
}

function objects(schema: FuzzSchema, components: Components, depth: number): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const fields = Object.entries(properties).map(([name, field]) => [name, anyValues(field, components, depth - 1)]);
  const declaredMembers = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: required,
  });
  if (typeof additionalProperties !== 'object') return declaredMembers;
  const additionalMembers = fc.dictionary(
    texts(propertyNames ?? {}),
    anyValues(additionalProperties, components, depth - 1),
    {
      maxKeys: 4,
    },
  );
  return fc.tuple(declaredMembers, additionalMembers).map(([declared, additional]) => ({ ...additional, ...declared }));
}
