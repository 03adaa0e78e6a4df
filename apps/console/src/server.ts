import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createKafka } from '@sluice/kafka';
import { type Service } from '@sluice/service';
import { fastify as createFastify, type FastifyInstance } from 'fastify';
import { type consoleVariables, type ConsoleSite, parseSite } from './config.js';
import { ConsoleModule } from './console.module.js';
import { serveSite } from './http/site-files.js';
import { Gate } from './session/gate.js';

const maxBodyBytes = 1_048_576;
/** Operations that take a plan of 900,000 bytes as a text, in which each quote has two. */
const planImports: readonly string[] = ['/api/sources/:id/plans', '/api/sources/:id/plans/check'];
const maxPlanBytes = 2_097_152;
const maxConnections = 2_000;
/** Bounded times for headers and for whole requests: a client that stalls keeps no connection. */
const timeLimits = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 };
/** Streams send something every 15 s. */
const silentMs = 60_000;
/** Longer than the usual 60 s of a load balancer, which would otherwise use a connection that closes. */
const keepAliveMs = 65_000;
/** The built pages; this file has the same depth in src and in dist. Apps never import apps: they are read as data. */
const builtSite = fileURLToPath(new URL('../../console-web/dist/site/', import.meta.url));

export async function startConsole(service: Service<typeof consoleVariables>): Promise<NestFastifyApplication> {
  const app = await createConsole(service);
  await app.listen(service.config.CONSOLE_PORT, service.config.CONSOLE_HOST);
  return app;
}

function createServer({ trustedProxies }: ConsoleSite): FastifyInstance {
  const fastify = createFastify({
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    http: timeLimits,
    requestTimeout: timeLimits.requestTimeout,
    connectionTimeout: silentMs,
    keepAliveTimeout: keepAliveMs,
  });
  fastify.addHook('onRoute', (route) => {
    if (planImports.includes(route.url)) route.bodyLimit = maxPlanBytes;
  });
  fastify.server.maxConnections = maxConnections;
  return fastify;
}

/** @throws Error when an operation has no role, or no route. */
export async function createConsole(
  service: Service<typeof consoleVariables>,
  siteFolder = builtSite,
): Promise<NestFastifyApplication> {
  const { config, logger } = service;
  const module = ConsoleModule.register(service, createKafka(config, 'sluice-console'));
  const fastify = createServer(parseSite(config));
  const adapter = new FastifyAdapter(fastify);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { bodyParser: false, logger });
  // Bodies are JSON only: a form of another site cannot send one.
  fastify.removeContentTypeParser('text/plain');
  const gate = app.get(Gate);
  gate.guard(fastify);
  app.enableShutdownHooks([]);
  await serveSite(siteFolder, fastify);
  await app.init();
  gate.assertComplete();
  if (!existsSync(siteFolder)) logger.warn('the pages of the console are not built: npm run build', 'Console');
  return app;
}
