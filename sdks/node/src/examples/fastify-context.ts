import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type NodeClient, type Person } from '../index.js';

/** Adds a hook that gives each request its person, and one that sends what is left when the server closes. */
export function addSluice(
  app: FastifyInstance,
  sluice: NodeClient,
  personOf: (request: FastifyRequest) => Person,
): void {
  app.addHook('onRequest', (request, _reply, done) =>
    sluice.withContext({ ...personOf(request), context: { requestId: request.id } }, done),
  );
  app.addHook('onClose', async () => {
    await sluice.close();
  });
}
