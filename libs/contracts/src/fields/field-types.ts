import { getMetadataStorage } from 'class-validator';
import { type Keywords } from './rule.js';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

/** The JSON type of each field of a message, taken from its rules. */
export function readFieldTypes(message: new () => object): ReadonlyMap<string, JsonType> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(message, '', true, false);
  const types = rules.map(({ propertyName, context }) => {
    const { schema } = (context ?? {}) as { schema?: Keywords };
    return [propertyName, schema?.['type']] as const;
  });
  return new Map(types.filter((entry): entry is [string, JsonType] => entry[1] !== undefined));
}
