import { type OpenAPIObject } from '@nestjs/swagger';
import { type KeylessRules, type SourceRules } from '../request/accepts.js';
import { type Route } from '../http/routes.js';
import { headerParameters, sourceParameter, validateParameter, writeKeyParameter } from './parameters.js';
import {
  anyObject,
  noContent,
  originRefused,
  prefetchRefused,
  publicKeyRefused,
  refusals,
  takenResponse,
} from './responses.js';
import { batchSchema, componentSchemas, reference } from './schemas.js';
import { isDocumentedForSegment, segmentOperation, segmentSchemas } from './segment.js';

interface DocumentedRoute extends Route {
  rules: SourceRules;
}

interface KeylessRoute extends Route {
  rules: KeylessRules;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;

/** Makes the OpenAPI document of the routes with rules, from the routes and message types alone. */
export function openApiDocument(routes: readonly Route[]): OpenAPIObject {
  const documented = routes.filter(isDocumented);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' } as { name: string },
      description:
        'Takes events, traits and catalog data. A 200 means that every message of the request is durable; ' +
        'processing goes on afterwards. Errors are a JSON array of { field, message }, those for clients of Segment an object.',
    },
    servers: [{ url: '/', description: 'This gateway.' }],
    security: [{ apiKey: [] }],
    paths: Object.fromEntries([
      ...documented.map((route) => [toOpenApiPath(route), { post: describeOperation(route) }]),
      ...routes.filter(isSegment).map((route) => [toOpenApiPath(route), { post: segmentOperation(route) }]),
      ...routes
        .filter(isKeyless)
        .map((route) => [toOpenApiPath(route), { [route.method.toLowerCase()]: keylessOperation(route) }]),
    ]) as OpenAPIObject['paths'],
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'The secret apiKey of the source.' },
        writeKey: {
          type: 'http',
          scheme: 'basic',
          description: 'The write key, `<sourceIdentifier>_<apiKey>`, as the user.',
        },
      },
      schemas: { ...componentSchemas(documented.map(({ rules }) => rules.message)), ...segmentSchemas },
    },
  };
}

/** Leaves out routes without a source in the path: those of Segment, and those that exist only to refuse requests. */
const isDocumented = (route: Route): route is DocumentedRoute =>
  route.rules?.credentials === true && route.path.includes(':sourceIdentifier');

const isSegment = (route: Route): route is DocumentedRoute =>
  route.rules?.credentials === true && route.rules.isSegment === true && isDocumentedForSegment(route);

const isKeyless = (route: Route): route is KeylessRoute => route.rules?.credentials === false;

/** The path without its parameters, as a name. */
const operationName = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':'))
    .join('_');

const toOpenApiPath = ({ path }: Route): string => path.replaceAll(/:([a-zA-Z]+)/g, '{$1}');

function describeOperation({ path, rules }: DocumentedRoute): Operation {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const { message, batch, bodyLimit, serversOnly } = rules;
  const isCatalog = path.includes('/catalog/');
  return {
    operationId: name,
    tags: [isCatalog ? 'Sync API' : 'Tracking API'],
    summary: `Takes ${batch ? '1 to 100 messages' : 'one message'} of type ${message.name}`,
    parameters: [sourceParameter, validateParameter, ...headerParameters(batch, !isCatalog)],
    requestBody: {
      required: true,
      description: `At most ${bodyLimit.toLocaleString('en')} bytes, also when inflated (gzip, deflate, br, zstd).`,
      content: { 'application/json': { schema: batch ? batchSchema(message) : reference(message.name) } },
    },
    responses: { '200': takenResponse, '403': serversOnly ? publicKeyRefused : originRefused, ...refusals },
  };
}

/** Makes the operation of a route without a key, which has no 401. */
function keylessOperation({ path, method, rules: { operation, bodyLimit } }: KeylessRoute): Operation {
  const { tag, summary, parameters = [], answer } = operation;
  const otherRefusals = Object.fromEntries(Object.entries(refusals).filter(([status]) => status !== '401'));
  const common = { tags: [tag], summary, security: [] };
  if (answer !== undefined) {
    const parameters = path.includes(':writeKey') ? [writeKeyParameter] : [];
    return {
      operationId: operationName(path),
      ...common,
      parameters,
      responses: { '200': anyObject(answer), ...otherRefusals },
    };
  }
  const body = { required: true, description: `At most ${bodyLimit.toLocaleString('en')} bytes, not compressed.` };
  return {
    operationId: path.slice(path.lastIndexOf('/') + 1),
    ...common,
    parameters: [...parameters.map((parameter) => ({ ...parameter, in: 'query' as const })), validateParameter],
    ...(method === 'POST'
      ? {
          requestBody: { ...body, content: { 'application/json': { schema: reference('FreeFormOfAnyNames') } } },
          responses: { '204': noContent, ...otherRefusals },
        }
      : { responses: { '200': takenResponse, '403': prefetchRefused, ...otherRefusals } }),
  };
}
