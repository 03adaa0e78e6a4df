import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';

/**
 * Nest's adapter without the hooks that it adds to every route of the server. None of what they serve is used here (CORS,
 * CSRF, middleware, versions, lifecycle), they take 1.3 of the 48 µs of a single request, and two of them answer by
 * themselves, in another shape than the API: docs/private-parts.md.
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
