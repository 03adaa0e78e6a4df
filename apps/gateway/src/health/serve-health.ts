import { type Health } from '@sluice/service';
import { type FastifyInstance } from 'fastify';
import { httpError } from '../errors/api-error.js';
import { healthPath } from '../http/connections/http-server.js';

/** Retry-After of an unready gateway; load balancers check at their own interval anyway. */
const retryAfterSeconds = 5;
/** Time for which a result is reused: anyone may ask, as often as they like. */
const freshMs = 100;

/** Serves the health check for load balancers, on the port that clients use; the management port gives the details. */
export function serveHealth(health: Health, fastify: FastifyInstance): void {
  let isReady = false;
  let checkedAt = -Infinity;
  const check = async (): Promise<void> => {
    try {
      for (const healthCheck of health.ready.values()) await healthCheck();
      isReady = true;
    } catch {
      isReady = false;
    }
    checkedAt = performance.now();
  };
  const answer = (): { status: 'ok' } => {
    if (!isReady) throw httpError.unavailable(retryAfterSeconds);
    return { status: 'ok' };
  };
  fastify.get(healthPath, (): { status: 'ok' } | Promise<{ status: 'ok' }> =>
    performance.now() - checkedAt < freshMs ? answer() : check().then(answer),
  );
}
