import { type DynamicModule, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Service } from '@sluice/service';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { newId } from './new-id.js';
import { type GatewayConfig, type gatewayVariables } from './config.js';
import { refusal } from './errors/api-error.js';
import { GatewayModule } from './gateway.module.js';
import { Edge } from './http/edge.js';
import { fixedHeaders } from './http/fixed-headers.js';
import { answerParserError } from './http/parser-errors.js';
import { serveDocumentation } from './openapi/documentation.js';

/** The gateway, listening. */
export async function startGateway(service: Service<typeof gatewayVariables>): Promise<NestFastifyApplication> {
  const { config, logger } = service;
  const app = await createGateway(await GatewayModule.register(service), config, logger);
  await app.listen(config.GATEWAY_PORT, config.GATEWAY_HOST);
  return app;
}

async function createGateway(module: DynamicModule, config: GatewayConfig, logger: LoggerService) {
  const adapter = new FastifyAdapter({
    genReqId: newId,
    // The whole request, its headers, an idle connection: nobody holds a place for long by being slow.
    requestTimeout: 10_000,
    keepAliveTimeout: 75_000,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    clientErrorHandler: answerParserError,
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const { status, problems } = refusal.malformed();
      void reply.code(status).headers(fixedHeaders).header('x-request-id', request.id).send(problems);
    },
    exposeHeadRoutes: false,
    // A source segment that is too long is an unknown source, whatever its length (design §2).
    routerOptions: { maxParamLength: 16_384 },
  });
  adapter.getInstance().server.maxConnections = config.GATEWAY_MAX_CONNECTIONS;
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { bodyParser: false, logger });
  app.get(Edge).guard(adapter.getInstance());
  serveDocumentation(app);
  return app;
}
