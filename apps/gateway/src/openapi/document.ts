import { type OpenAPIObject } from '@nestjs/swagger';
import { type SourceRules } from '../http/accepts.js';
import { type Route } from '../http/routes.js';
import { headerParameters, sourceParameter, validateParameter } from './parameters.js';
import { refusals, taken } from './responses.js';
import { batchOf, componentSchemas, reference } from './schemas.js';

interface DocumentedRoute extends Route {
  rules: SourceRules;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;

/** The OpenAPI document of the routes that take messages; nothing in it is written down a second time. */
export function openApiDocument(routes: readonly Route[]): OpenAPIObject {
  const documented = routes.filter(isDocumented);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      description:
        'Takes events, traits and catalog data. A 200 means that every message of the request is durable; ' +
        'processing goes on afterwards. Errors are a JSON array of { field, message }.',
    },
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(documented.map((route) => [pathOf(route), { post: operationOf(route) }])),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'The secret apiKey of the source.' } },
      schemas: componentSchemas(documented.map(({ rules }) => rules.message)),
    },
  };
}

/** The routes with the source left out exist only to refuse it. */
const isDocumented = (route: Route): route is DocumentedRoute =>
  route.rules?.credentials === true && route.path.includes(':sourceIdentifier');

const pathOf = ({ path }: Route): string => path.replaceAll(/:([a-zA-Z]+)/g, '{$1}');

function operationOf({ path, rules }: DocumentedRoute): Operation {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const { message, batch, bodyLimit } = rules;
  return {
    operationId: name,
    tags: [path.includes('/catalog/') ? 'Sync API' : 'Tracking API'],
    summary: `Takes ${batch ? '1 to 100 messages' : 'one message'} of type ${message.name}`,
    parameters: [sourceParameter, validateParameter, ...headerParameters(batch)],
    requestBody: {
      required: true,
      description: `At most ${bodyLimit.toLocaleString('en')} bytes, also when inflated (gzip, deflate, br, zstd).`,
      content: { 'application/json': { schema: batch ? batchOf(message) : reference(message.name) } },
    },
    responses: { '200': taken, ...refusals },
  };
}
