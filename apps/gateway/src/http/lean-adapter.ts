import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';

/**
 * Nest's adapter without the eight hooks that it adds to every route of the server: for CORS, CSRF, middleware,
 * versioning and lifecycle hooks of its own, none of which are used here. Going through them, and listening for what the
 * one of them waits for, took 2 of the 36 µs of a request without Kafka (measured; decision 12).
 */
export function leanAdapter(fastify: FastifyInstance): FastifyAdapter {
  // An option of the adapter, which it reads off the instance too.
  fastify.decorate('skipMiddie', true);
  const addHook = Object.getOwnPropertyDescriptor(fastify, 'addHook');
  fastify.addHook = () => fastify;
  const adapter = new FastifyAdapter(fastify);
  Object.defineProperty(fastify, 'addHook', addHook ?? {});
  return adapter;
}
