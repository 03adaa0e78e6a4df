import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { header, type RowOrigin } from '@sluice/contracts';
import { type FastifyRequest } from 'fastify';
import { parseJson } from './parse-json.js';

/** What the intake needs of an authenticated request. */
export interface SourceRequest {
  /** UUIDv7, answered as `X-Request-Id`. */
  id: string;
  sourceIdentifier: string;
  /** When it arrived. */
  receivedAt: Date;
  /** The parsed JSON body. */
  body: unknown;
  /** The header of W3C Trace Context, when the client sent a valid one. */
  traceparent: Partial<Record<typeof header.traceparent, string>>;
}

export const originOf = ({ id, sourceIdentifier, receivedAt }: SourceRequest): RowOrigin => ({
  source_id: sourceIdentifier,
  request_id: id,
  received_at: receivedAt.toISOString(),
});

/** Hands a controller its SourceRequest. The credentials were checked before the body was read. */
export const FromSource = createParamDecorator((_: unknown, context: ExecutionContext): SourceRequest => {
  const { id, params, body, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  const { sourceIdentifier } = params as { sourceIdentifier: string };
  return {
    id,
    sourceIdentifier,
    receivedAt: new Date(),
    body: parseJson(Buffer.isBuffer(body) ? body : Buffer.alloc(0)),
    traceparent: traceparentOf(headers['traceparent']),
  };
});

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

function traceparentOf(value: string | string[] | undefined): SourceRequest['traceparent'] {
  return typeof value === 'string' && traceparent.test(value) ? { [header.traceparent]: value } : {};
}
