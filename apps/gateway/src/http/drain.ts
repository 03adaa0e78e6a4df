import { type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** Time in which an idle connection may still send one more request, whose answer ends it. */
const idleMs = 2_000;
const lookMs = 100;

/**
 * Resolves when the server has no connection left. New connections are refused, and every answer says that its
 * connection ends. Node would close idle connections at once and lose a request that is already on its way on one of
 * them; here, busy clients have the time to learn of the end from an answer.
 */
export function drain(server: Server, inWork: Iterable<ServerResponse>, patienceMs: number): Promise<void> {
  // 1. Accept no new connections: the part of `server.close()` that leaves open connections alone.
  NetServer.prototype.close.call(server);
  // 2. Answers in work announce the end; Fastify does it for later requests.
  for (const answer of inWork) if (!answer.headersSent) answer.shouldKeepAlive = false;
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const passedMs = performance.now() - startedAt;
      // 3. Close the connections that stayed idle.
      if (passedMs > idleMs) server.closeIdleConnections();
      // 4. A client that sends slowly must not hold up the stop.
      if (passedMs > patienceMs) server.closeAllConnections();
      server.getConnections((_error, connections) => {
        if (connections > 0) return;
        clearInterval(timer);
        resolve();
      });
    }, lookMs);
  });
}
