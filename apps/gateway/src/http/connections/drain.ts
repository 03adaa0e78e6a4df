import { type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** Time in which an idle connection may still send one more request, whose answer ends it. */
const idleMs = 2_000;
const lookMs = 100;

/** Upper bound of the time in which waiting connections are accepted. */
const acceptMs = 1_000;
/** Duration of a turn of the event loop that is so short that hardly a connection can have arrived in it. */
const shortTurnMs = 1;

/**
 * Closes the listener after a turn of the event loop in which no connection was waiting: closing resets the
 * connections in its queue, and each turn accepts only one.
 */
function acceptWaiting(server: Server): Promise<void> {
  let accepted = true;
  const count = (): void => {
    accepted = true;
  };
  server.on('connection', count);
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let turnBeganAt = startedAt;
    const look = (): void => {
      const now = performance.now();
      const isEmpty = !accepted && now - turnBeganAt < shortTurnMs;
      if (!isEmpty && now - startedAt < acceptMs) {
        [accepted, turnBeganAt] = [false, now];
        setImmediate(look);
        return;
      }
      server.off('connection', count);
      NetServer.prototype.close.call(server);
      resolve();
    };
    setImmediate(look);
  });
}

/**
 * Resolves when the server has no connection left. Connections that wait in the queue of the listener are still
 * accepted, later ones are refused, and every answer says that its connection ends. Node would close idle connections
 * at once and lose a request that is on its way on one of them; here, busy clients learn of the end from an answer.
 */
export async function drainConnections(
  server: Server,
  inWork: Iterable<ServerResponse>,
  timeoutMs: number,
): Promise<void> {
  // 1. Answers in work announce the end; Fastify does it for later requests.
  for (const answer of inWork) if (!answer.headersSent) answer.shouldKeepAlive = false;
  // 2. Accept no more connections: the part of `server.close()` that leaves open connections alone.
  await acceptWaiting(server);
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const passedMs = performance.now() - startedAt;
      // 3. Close the connections that stayed idle.
      if (passedMs > idleMs) server.closeIdleConnections();
      // 4. A client that sends slowly must not hold up the stop.
      if (passedMs > timeoutMs) server.closeAllConnections();
      server.getConnections((_error, connections) => {
        if (connections > 0) return;
        clearInterval(timer);
        resolve();
      });
    }, lookMs);
  });
}
