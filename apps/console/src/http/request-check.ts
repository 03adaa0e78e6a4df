import { type Described, openApi } from '@sluice/console-api/document';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isTime } from './range.js';
import { invalid } from './console-error.js';

/** Name of the document among the schemas. */
const root = 'console';
/** Schemas of requests stand outside of the document, so their references must name it. */
const qualifyReferences = <T>(schema: T): T => JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${root}#/`)) as T;

function ajvWith(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ coerceTypes, removeAdditional: 'all', strict: false, verbose: true, validateFormats: true });
  ajv.addFormat('date-time', isTime);
  ajv.addSchema(openApi, root, false);
  return ajv;
}

/** A query is text, so its numbers are read from text; a body has types. */
const [queries, bodies] = [ajvWith(true), ajvWith(false)];

/**
 * Checks queries and bodies by the OpenAPI document, before a controller gets them: what passes has the type that
 * `libs/console-api` declares, and no other members.
 */
export class RequestCheck {
  private readonly validateQuery: ValidateFunction;
  private readonly validateBody: ValidateFunction | undefined;

  constructor({ parameters, requestBody }: Described) {
    const members = parameters.filter((parameter) => parameter.in === 'query');
    const schema = requestBody?.content['application/json'].schema;
    this.validateQuery = queries.compile({
      type: 'object',
      properties: qualifyReferences(Object.fromEntries(members.map((parameter) => [parameter.name, parameter.schema]))),
      required: members.filter(({ required }) => required).map(({ name }) => name),
    });
    this.validateBody = schema && bodies.compile(qualifyReferences(schema));
  }

  /** An empty member of a query counts as missing. @throws ConsoleError 400 that names the member */
  query(query: object): unknown {
    return requireValid(
      this.validateQuery,
      Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')),
    );
  }

  /** @throws ConsoleError 400 that names the member */
  body(body: unknown): unknown {
    return this.validateBody && requireValid(this.validateBody, body ?? {});
  }
}

function requireValid(check: ValidateFunction, content: unknown): unknown {
  if (check(content)) return content;
  const error = check.errors?.at(-1);
  throw invalid(error ? describeError(error) : 'The request could not be read.');
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** Says what is wrong with a member. */
function describeError({ keyword, instancePath, params, schema, parentSchema = {} }: ErrorObject): string {
  const name = instancePath === '' ? 'The body' : instancePath.slice(1).replaceAll('/', '.');
  const { minimum = 0, maximum = Infinity } = parentSchema as { minimum?: number; maximum?: number };
  const limit = String((params as { limit?: number }).limit);
  switch (keyword) {
    case 'required':
      return `${(params as { missingProperty: string }).missingProperty} is required.`;
    case 'pattern':
      return `${name} is required.`;
    case 'maxLength':
      return `${name} must be text of at most ${limit} characters.`;
    case 'maxItems':
      return `${name} must be a list of at most ${limit}.`;
    case 'enum':
      return `${name} must be one of ${(schema as string[]).join(', ')}.`;
    case 'format':
      return `${name} must be a time like 2026-01-31T12:00:00Z.`;
    case 'minimum':
    case 'maximum':
      return `${name} must be ${maximum < Number.MAX_SAFE_INTEGER ? `${minimum} to ${maximum}` : `at least ${minimum}`}.`;
    case 'anyOf':
      return `${name} must be ${(schema as { type: string }[]).map(({ type }) => nouns[type] ?? type).join(' or ')}.`;
    default:
      return `${name} must be ${nouns[String(schema)] ?? 'something else'}.`;
  }
}
