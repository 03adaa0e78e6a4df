import cluster from 'node:cluster';
import { type Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createKafka, type Kafka } from '@sluice/kafka';
import { isTracing, type Service } from '@sluice/service';
import { fastify as createFastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { Canary } from './canary/canary.js';
import { CatalogApi } from './catalog/catalog-api.js';
import { newId } from './new-id.js';
import { type gatewayVariables } from './config.js';
import { GatewayModule } from './gateway.module.js';
import { Admission } from './http/turns/admission.js';
import { ConnectionMetrics } from './http/connections/connection-metrics.js';
import { drainConnections } from './http/connections/drain.js';
import { answerPreflight, Edge } from './http/edge.js';
import { createHttpServer, requestTimeoutMs } from './http/connections/http-server.js';
import { leanAdapter } from './http/lean-adapter.js';
import { resolveAliases } from './http/reading/path-aliases.js';
import { traceRequests } from './http/request-spans.js';
import { RequestMetrics } from './http/answering/request-metrics.js';
import { serveSourceApi } from './intake/source-routes.js';
import { assertLimits } from './limits/limits.js';
import { serveSegment } from './segment/segment-api.js';
import { SegmentIntake } from './segment/segment-intake.js';
import { TrackingApi } from './tracking/tracking-api.js';
import { RefusedLog } from './refused/refused-log.js';
import { serveDocumentation } from './openapi/documentation.js';
import { serveHealth } from './health/serve-health.js';
import { loadBundle } from './sdk/load-bundle.js';
import { serveBundle } from './sdk/serve-bundle.js';

/** Backlog of connections not accepted yet, capped by net.core.somaxconn. Beyond it clients wait for seconds. */
const maxNotAccepted = 4_096;

/** Starts the gateway; resolves when it listens. */
export async function startGateway(service: Service<typeof gatewayVariables>): Promise<NestFastifyApplication> {
  const { config, logger } = service;
  assertLimits(config);
  if (config.PUSH_TOKEN_KEYS.size === 0)
    logger.warn('PUSH_TOKEN_KEYS is empty: every push callback is refused', 'Gateway');
  const kafka = createKafka(config, 'gateway');
  const app = await createGateway(service, kafka);
  await app.listen({ port: config.GATEWAY_PORT, host: config.GATEWAY_HOST, backlog: maxNotAccepted });
  // The primary of several workers probes for all of them.
  if (!cluster.isWorker) app.get(Canary).start();
  return app;
}

/** Computes a value when it is first asked for. */
function once<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

/** The parts that connections and requests need, found once: each look-up in Nest goes through a proxy. */
const findParts = (app: NestFastifyApplication) => ({
  admission: app.get(Admission),
  edge: app.get(Edge),
  connectionMetrics: app.get(ConnectionMetrics),
  requestMetrics: app.get(RequestMetrics),
  refusedLog: app.get(RefusedLog),
});

/** Creates the gateway with all its routes, not yet listening. */
export async function createGateway(
  service: Service<typeof gatewayVariables>,
  kafka: Kafka,
): Promise<NestFastifyApplication> {
  const { config, logger } = service;
  const parts = once(() => findParts(app));
  const fastify = createFastify<Server>({
    genReqId: newId,
    // The server answers client errors itself, after earlier answers of the connection.
    clientErrorHandler: () => undefined,
    serverFactory: (serve) =>
      createHttpServer({
        serve,
        onBeforeServe: (answer) => parts().admission.begin(answer),
        onRefusalTurn: (refused, send) =>
          parts().edge.refuse(() => {
            send();
            parts().refusedLog.refusedBytes(parts().requestMetrics.countRefused(refused));
          }),
        onClosed: (which) => parts().connectionMetrics.closed(which),
        onConnection: () => parts().edge.connected(),
        maxConnections: config.GATEWAY_MAX_CONNECTIONS,
      }),
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) =>
      parts().edge.refuseBadPath(request, (error) => {
        const { status, headers, problems } = error;
        const reason = parts().requestMetrics.countRefused(error);
        void reply.code(status).headers(headers).header('x-request-id', request.id).send(problems);
        parts().refusedLog.refused(request, error, reason);
      }),
    // During a stop, a kept-alive connection gets its answer as usual and is then closed.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // A source segment that is too long is an unknown source, whatever its length (docs/api.md#errors).
    routerOptions: { maxParamLength: 16_384 },
    ...(config.GATEWAY_PATH_ALIASES && { rewriteUrl: resolveAliases(config.GATEWAY_PATH_ALIASES) }),
  });
  const { server } = fastify;
  fastify.addHook('preClose', () => drainConnections(server, parts().admission.owed, requestTimeoutMs));
  const module = GatewayModule.register(service, kafka);
  const options = { bodyParser: false, logger };
  const app = await NestFactory.create<NestFastifyApplication>(module, leanAdapter(fastify), options);
  if (isTracing()) traceRequests(fastify);
  parts().edge.guard(fastify);
  parts().requestMetrics.follow(fastify);
  parts().requestMetrics.observe(() => parts().admission.inWork);
  answerPreflight(fastify);
  for (const api of [app.get(TrackingApi), app.get(CatalogApi)])
    serveSourceApi(api, fastify, config.GATEWAY_COUNTRY_HEADER);
  serveSegment(app.get(SegmentIntake), fastify, config.GATEWAY_COUNTRY_HEADER);
  serveHealth(service.health, fastify);
  serveDocumentation(app, fastify);
  serveBundle(await loadBundle(logger), fastify);
  return app;
}
