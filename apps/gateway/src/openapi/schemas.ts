import { BatchEnvelope } from '@sluice/contracts';
import { type OpenAPIObject } from '@nestjs/swagger';
import {
  freeFormBounds,
  type FieldSchema,
  type MessageType,
  restrictedName,
  buildMessageSchema,
} from '@sluice/messages';
import { publishedField } from './published-field.js';

export type ApiSchema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Schemas of the messages, of the answers, and of their parts. */
export const componentSchemas = (messages: readonly MessageType[]): Record<string, ApiSchema> => ({
  ...Object.fromEntries(messages.map((message) => [message.name, messageSchema(message)])),
  ...freeFormSchemas,
  Problem: {
    type: 'object',
    required: ['field', 'message'],
    properties: {
      field: {
        type: 'string',
        description: 'Path of the field: `event`, `list[3].userId`; empty when it is not about a field.',
      },
      message: { type: 'string' },
    },
  },
  Queued: {
    type: 'object',
    required: ['status'],
    properties: {
      status: { type: 'string', enum: ['QUEUED'] },
      dropped: { ...problems, description: 'Values and unknown fields that are not stored; absent when all are.' },
      rejected: { ...problems, description: 'With Prefer: handling=lenient, the refused items of the batch.' },
      violations: {
        ...problems,
        description: 'With ?validate=only, what does not fit the tracking plan of the source.',
      },
    },
  },
});

/** Schema of a batch of one type of message. */
export function batchSchema(message: MessageType): ApiSchema {
  const { list, ...rest } = buildMessageSchema(BatchEnvelope).properties;
  const items = { ...list, items: reference(message.name) };
  return { ...buildMessageSchema(BatchEnvelope), properties: { ...rest, list: items } };
}

export const problems: ApiSchema & object = { type: 'array', items: reference('Problem') };

/**
 * Schema of a message. That one of two fields must be there is said by what must not be: of alternatives, generators make
 * types that have only the two fields.
 */
function messageSchema(message: MessageType): ApiSchema {
  const { anyOf, ...schema } = buildMessageSchema(message);
  const fields = Object.entries<FieldSchema>(schema.properties).map(([name, field]) => [name, fieldSchema(field)]);
  const published = { ...schema, properties: Object.fromEntries(fields) as object };
  return (anyOf ? { ...published, not: { properties: absentFields(schema.properties) } } : published) as ApiSchema;
}

/** Fields that one of two must have, each as it is when it is absent. */
const absentFields = (properties: Readonly<Record<string, FieldSchema>>): object => {
  const names = Object.entries(properties).flatMap(([name, { 'x-required-without': otherField }]) =>
    otherField === undefined ? [] : [name, otherField],
  );
  return Object.fromEntries(names.map((name) => [name, { type: 'null' }]));
};

/** Converts a field for the OpenAPI document: a free-form object refers to the schema for its rule of names. */
function fieldSchema(field: FieldSchema): object {
  const { 'x-names': names, description, examples } = field;
  if (names === undefined) return publishedField(field);
  const freeForm = reference(names === 'restricted' ? 'FreeForm' : 'FreeFormOfAnyNames');
  return { description, examples, anyOf: [freeForm, { type: 'null' }] };
}

const dropped =
  `Values out of range are dropped and named in the answer: strings over ${freeFormBounds.stringLength} characters or not ` +
  `well-formed, numbers not finite or whole and beyond ±2^53, arrays over ${freeFormBounds.arrayItems} items, more than ` +
  `${freeFormBounds.depth} levels, more than ${freeFormBounds.members} members in all.`;

/** Values are of any kind: a schema of each kind would refer to itself, which generators of clients cannot read. */
const freeFormSchemas = {
  FreeForm: {
    type: 'object',
    description: `Any object. ${dropped}`,
    propertyNames: { pattern: restrictedName.source },
    additionalProperties: true,
  },
  FreeFormOfAnyNames: {
    type: 'object',
    description: `Any object; the names of its members are free. ${dropped}`,
    additionalProperties: true,
  },
} as Record<string, ApiSchema>;
