import { SpanKind, SpanStatusCode, startSpan, formatTraceparent } from '@sluice/service';
import { type FastifyInstance } from 'fastify';

/**
 * Starts a span for each request, within the client's trace when it sent one. The span replaces the request's own
 * `traceparent`, so that its messages name the span. Must be added before every other hook that reads a request.
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
    request.headers['traceparent'] = formatTraceparent(span);
    // Emitted once for every request, also when the client disconnects.
    raw.once('close', () => {
      span.setAttribute('http.response.status_code', raw.statusCode);
      if (raw.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    done();
  });
}
