import { SpanKind, SpanStatusCode, startSpan, traceparentOf } from '@sluice/service';
import { type FastifyInstance } from 'fastify';

/**
 * A span for each request, within the client's trace when it sent one. The request carries the span on as its own
 * `traceparent`, so that its messages name it. Has to come before everything else that looks at a request.
 */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, { raw }, done) => {
    const { url: route = 'unknown' } = request.routeOptions;
    const sent = request.headers['traceparent'];
    const span = startSpan(`${request.method} ${route}`, {
      kind: SpanKind.SERVER,
      parent: typeof sent === 'string' ? sent : '',
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'sluice.request_id': request.id,
      },
    });
    request.headers['traceparent'] = traceparentOf(span);
    // Comes once for every request, also when the client breaks off.
    raw.once('close', () => {
      span.setAttribute('http.response.status_code', raw.statusCode);
      if (raw.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    done();
  });
}
