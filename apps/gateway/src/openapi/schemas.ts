import { Batch } from '@sluice/contracts';
import { type OpenAPIObject } from '@nestjs/swagger';
import { bounds, type FieldSchema, type MessageType, restrictedName, schemaOf } from '@sluice/messages';
import { publishedField } from './published-field.js';

export type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Schemas of the messages, of the answers, and of their parts. */
export const componentSchemas = (messages: readonly MessageType[]): Record<string, Schema> => ({
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
export function batchOf(message: MessageType): Schema {
  const { list, ...rest } = schemaOf(Batch).properties;
  const items = { ...list, items: reference(message.name) };
  return { ...schemaOf(Batch), properties: { ...rest, list: items } };
}

export const problems: Schema & object = { type: 'array', items: reference('Problem') };

function messageSchema(message: MessageType): Schema {
  const schema = schemaOf(message);
  const fields = Object.entries<FieldSchema>(schema.properties).map(([name, field]) => [name, fieldSchema(field)]);
  return { ...schema, properties: Object.fromEntries(fields) as object } as Schema;
}

/** Converts a field for the OpenAPI document: a free-form object refers to the schema for its rule of names. */
function fieldSchema(field: FieldSchema): object {
  const { 'x-names': names, description, examples } = field;
  if (names === undefined) return publishedField(field);
  const of = reference(names === 'restricted' ? 'FreeForm' : 'FreeFormOfAnyNames');
  return { description, examples, anyOf: [of, { type: 'null' }] };
}

const valuesOf = (object: string): object => ({
  anyOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array', items: valuesOfReference(object) },
    reference(object),
  ],
});
const valuesOfReference = (object: string) => reference(`${object}Value`);

const dropped =
  `Values out of range are dropped and named in the answer: strings over ${bounds.stringLength} characters or not ` +
  `well-formed, numbers not finite or whole and beyond ±2^53, arrays over ${bounds.arrayItems} items, more than ` +
  `${bounds.depth} levels, more than ${bounds.members} members in all.`;

const freeFormSchemas = {
  FreeForm: {
    type: 'object',
    description: `Any object. ${dropped}`,
    propertyNames: { pattern: restrictedName.source },
    additionalProperties: valuesOfReference('FreeForm'),
  },
  FreeFormValue: valuesOf('FreeForm'),
  FreeFormOfAnyNames: {
    type: 'object',
    description: `Any object; the names of its members are free. ${dropped}`,
    additionalProperties: valuesOfReference('FreeFormOfAnyNames'),
  },
  FreeFormOfAnyNamesValue: valuesOf('FreeFormOfAnyNames'),
} as Record<string, Schema>;
