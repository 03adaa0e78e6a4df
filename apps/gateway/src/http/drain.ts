import { type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** An idle connection may be used this long for one more request, which is answered and ends it. */
const idleMs = 2_000;
const lookMs = 100;

/**
 * Resolves when the server has no connection left. New ones are refused; every answer from now on says that its
 * connection ends. Node would close idle ones at once, and a request that is already on its way on one of them would be
 * lost: clients that are busy get the time to learn it from an answer.
 */
export function drain(server: Server, inWork: Iterable<ServerResponse>, patienceMs: number): Promise<void> {
  // 1. No new connections: the part of `server.close()` that leaves those there are alone.
  NetServer.prototype.close.call(server);
  // 2. What is in work says so in its answer; for what comes from now on, Fastify does.
  for (const answer of inWork) if (!answer.headersSent) answer.shouldKeepAlive = false;
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const passedMs = performance.now() - startedAt;
      // 3. Who is silent by now is told by the end of the connection.
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
