import { fieldFormats } from '@sluice/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type MessageSchema } from './schema.js';

/** Compiles a schema into a function that accepts or refuses a body without an explanation. */
export function compileSchema(schema: MessageSchema): (body: unknown) => boolean {
  const ajv = new Ajv2020({
    allErrors: false,
    strict: true,
    allowUnionTypes: true,
    messages: false,
    validateFormats: true,
  });
  ajv.addVocabulary(['x-names', 'x-required-without']);
  for (const [name, validate] of Object.entries(fieldFormats.string)) ajv.addFormat(name, { type: 'string', validate });
  for (const [name, validate] of Object.entries(fieldFormats.number)) ajv.addFormat(name, { type: 'number', validate });
  return ajv.compile(schema);
}
