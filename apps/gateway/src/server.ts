import { type Socket } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createKafka, type Kafka } from '@sluice/kafka';
import { isTracing, type Service } from '@sluice/service';
import { fastify as createFastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { CatalogApi } from './catalog/catalog-api.js';
import { newId } from './new-id.js';
import { type gatewayVariables } from './config.js';
import { GatewayModule } from './gateway.module.js';
import { Admission } from './http/admission.js';
import { drain } from './http/drain.js';
import { answerPreflight, Edge } from './http/edge.js';
import { Answer } from './http/answer.js';
import { leanAdapter } from './http/lean-adapter.js';
import { traceRequests } from './http/request-spans.js';
import { RequestMetrics } from './http/request-metrics.js';
import { serve } from './http/source-routes.js';
import { assertLimits } from './http/limits.js';
import { answerParserError, refuseExpectation } from './http/parser-errors.js';
import { TrackingApi } from './tracking/tracking-api.js';
import { serveDocumentation } from './openapi/documentation.js';

const requestTimeoutMs = 10_000;

/** The gateway, listening. */
export async function startGateway(service: Service<typeof gatewayVariables>): Promise<NestFastifyApplication> {
  const { config, logger } = service;
  assertLimits(config);
  if (config.PUSH_TOKEN_KEYS.size === 0)
    logger.warn('PUSH_TOKEN_KEYS is empty: every push callback is refused', 'Gateway');
  const kafka = createKafka(config, 'gateway');
  const app = await createGateway(service, kafka);
  await app.listen(config.GATEWAY_PORT, config.GATEWAY_HOST);
  return app;
}

/** The gateway with all its routes, not yet listening. */
export async function createGateway(
  service: Service<typeof gatewayVariables>,
  kafka: Kafka,
): Promise<NestFastifyApplication> {
  const { config, logger } = service;
  const fastify = createFastify({
    genReqId: newId,
    // The whole request, its headers, an idle connection: nobody holds a place for long by being slow.
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      ServerResponse: Answer,
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => {
      const refusal = answerParserError(error, socket);
      if (refusal) app.get(RequestMetrics).refused(refusal);
    },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const refusal = app.get(Edge).refusalOfBadPath(request);
      const { status, headers, problems } = refusal;
      app.get(RequestMetrics).refused(refusal);
      void reply.code(status).headers(headers).header('x-request-id', request.id).send(problems);
    },
    // While it stops, a kept-alive connection is answered as ever and then closed.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // A source segment that is too long is an unknown source, whatever its length (design §2).
    routerOptions: { maxParamLength: 16_384 },
  });
  const { server } = fastify;
  server.maxConnections = config.GATEWAY_MAX_CONNECTIONS;
  // Of one among several workers: what is too much is closed, and not handed from one full worker to the next for ever.
  Object.assign(server, { dropMaxConnection: true }); // not in Node's types yet
  server.on('checkExpectation', refuseExpectation);
  fastify.addHook('preClose', () => drain(server, app.get(Admission).inWork, requestTimeoutMs));
  const module = GatewayModule.register(service, kafka);
  const options = { bodyParser: false, logger };
  const app = await NestFactory.create<NestFastifyApplication>(module, leanAdapter(fastify), options);
  if (isTracing()) traceRequests(fastify);
  app.get(Edge).guard(fastify);
  app.get(RequestMetrics).follow(fastify);
  app.get(RequestMetrics).observe(() => app.get(Admission).inWork.size);
  answerPreflight(fastify);
  for (const api of [app.get(TrackingApi), app.get(CatalogApi)]) serve(api, fastify);
  serveDocumentation(app);
  return app;
}
