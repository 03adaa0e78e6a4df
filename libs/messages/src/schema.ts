import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';

/** A DTO class of the contracts; its decorators are the rules. */
export type MessageType<T extends object = object> = new () => T;

export interface FieldSchema {
  type?: string | string[];
  format?: string;
  description?: string;
  examples?: unknown[];
  /** Name of another field; this one must be present when the other is missing. */
  'x-required-without'?: string;
  /** Rule of the names in a free-form object. */
  'x-names'?: 'restricted' | 'free';
}

export interface MessageSchema {
  type: 'object';
  properties: Record<string, FieldSchema>;
  required?: string[];
  anyOf?: object[];
}

/**
 * Makes the JSON Schema (2020-12) of a message from its decorators. An optional field may be null, which means absent.
 */
export function buildMessageSchema(type: MessageType): MessageSchema {
  const schema = targetConstructorToSchema(type, {
    classValidatorMetadataStorage: getMetadataStorage(),
    // The rules of libs/contracts carry their schema in their context (`rule.ts`).
    additionalConverters: {
      [ValidationTypes.CUSTOM_VALIDATION]: ({ context }) => (context as { schema: { description?: string } }).schema,
    },
  }) as MessageSchema;

  const required = new Set(schema.required);
  const alternatives: object[] = [];
  for (const [name, field] of Object.entries(schema.properties)) {
    const otherField = field['x-required-without'];
    if (otherField !== undefined) alternatives.push(requirePresent(name), requirePresent(otherField));
    if (!required.has(name)) field.type = [field.type ?? [], 'null'].flat();
  }
  return alternatives.length > 0 ? { ...schema, anyOf: alternatives } : schema;
}

const requirePresent = (name: string) => ({ required: [name], properties: { [name]: { not: { type: 'null' } } } });
