import { type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Service } from '@sluice/service';
import { type FastifyInstance, type FastifyRequest, type RouteOptions } from 'fastify';
import { v7 as uuid } from 'uuid';
import { Credentials } from './auth/credentials.js';
import { type gatewayVariables } from './config.js';
import { GatewayModule } from './gateway.module.js';

/** What a route says of itself with `@RouteConfig`. */
interface RouteRules {
  /** Whether `Authorization` and the source in the path are checked before the body is read. */
  credentials?: boolean;
  /** Bytes of the body at most; checked while it is read. */
  bodyLimit?: number;
}

/** The gateway, listening. */
export async function startGateway(service: Service<typeof gatewayVariables>): Promise<NestFastifyApplication> {
  const { config, logger } = service;
  const app = await createGateway(await GatewayModule.register(service), logger);
  await app.listen(config.GATEWAY_PORT, config.GATEWAY_HOST);
  return app;
}

async function createGateway(
  module: Awaited<ReturnType<typeof GatewayModule.register>>,
  logger: LoggerService,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    genReqId: () => uuid(),
    requestTimeout: 10_000,
    keepAliveTimeout: 75_000,
    exposeHeadRoutes: false,
    // A source segment that is too long is an unknown source, whatever its length (design §2).
    routerOptions: { maxParamLength: 16_384 },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { bodyParser: false, logger });
  const fastify = adapter.getInstance();
  takeBodiesAsBytes(fastify);
  applyRouteRules(fastify, app.get(Credentials));
  return app;
}

/** Bodies stay bytes until the intake reads them, after everything that can be refused without them. */
function takeBodiesAsBytes(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(['application/json'], { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

function applyRouteRules(fastify: FastifyInstance, credentials: Credentials): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const { bodyLimit } = rulesOf(route);
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    done(rulesOf(request.routeOptions).credentials ? credentials.refuse(...claimsOf(request)) : undefined);
  });
}

const rulesOf = ({ config }: { config?: object }): RouteRules => config ?? {};

const claimsOf = ({ headers, params }: FastifyRequest): [string | undefined, string] => [
  headers.authorization,
  (params as { sourceIdentifier?: string }).sourceIdentifier ?? '',
];
