import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { NotPublishedError } from '@sluice/kafka';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { pipelined } from '../request/pipelined-request.js';
import { RequestMetrics } from './answering/request-metrics.js';
import { SourceMetrics } from '../limits/source-metrics.js';
import { Routes } from './routes.js';
import { isTrial, RefusedLog } from '../refused/refused-log.js';
import { ApiError, httpError } from '../errors/api-error.js';
import { toSegmentError } from '../errors/for-segment.js';
import { readRules } from '../request/accepts.js';
import { FailureLog } from './answering/failure-log.js';

/** Whether a client of Segment sent the request, also to a path that does not exist. */
const isForSegment = ({ routeOptions, url, is404 }: FastifyRequest): boolean => {
  if (is404) return /^\/(?:v1|s)\//.test(url);
  const rules = readRules(routeOptions);
  return rules?.credentials === true && rules.isSegment === true;
};

/** Retry time when the outbox does not give one. */
const notDurableSeconds = 5;

/** Converts errors to answers; server.ts answers paths that cannot be routed, and pipeline.ts what cannot be parsed. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  private readonly failures = new FailureLog(new Logger(ApiErrorFilter.name));

  constructor(
    private readonly routes: Routes,
    private readonly metrics: RequestMetrics,
    private readonly sources: SourceMetrics,
    private readonly log: RefusedLog,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    // The client has disconnected: there is nothing to answer, and it is not a failure of the gateway.
    if (reply.raw.destroyed) return;
    const request = http.getRequest<FastifyRequest>();
    const answer = this.toApiError(error, request);
    const { status, headers, problems } = answer;
    if (status >= 500) {
      const { id: requestId, headers: sent, routeOptions } = request;
      const { traceparent } = sent;
      this.failures.write({ requestId, route: routeOptions.url ?? '', status, traceparent, error });
    }
    const reason = this.metrics.countRefused(answer);
    // Without a valid key the refusal is the stranger's, whatever source the path names.
    const { source } = pipelined(request);
    if (source !== undefined && !isTrial(request)) this.sources.countRefused(source, reason);
    const { status: shownStatus, body } = isForSegment(request) ? toSegmentError(answer) : { status, body: problems };
    void reply.code(shownStatus).headers(headers).send(body);
    this.log.refused(request, answer, reason);
  }

  private toApiError(error: unknown, { url }: FastifyRequest): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof NotPublishedError) return httpError.unavailable(error.retryAfterSeconds ?? notDurableSeconds);
    if (error instanceof HttpException) return this.toHttpError(error.getStatus(), url);
    return httpError.internal();
  }

  /** Maps errors of Nest and Fastify themselves, which are distinguished by their status alone. */
  private toHttpError(status: number, url: string): ApiError {
    switch (status) {
      case 404:
        return this.routes.missingRouteError(url);
      case 408:
        return httpError.timedOut();
      case 413:
        return httpError.tooLarge();
      case 415:
        return httpError.unsupportedMediaType();
      default:
        return status < 500 ? httpError.malformed() : httpError.internal();
    }
  }
}
