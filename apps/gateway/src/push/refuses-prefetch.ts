import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { httpError } from '../errors/api-error.js';
import { PushMetrics } from './push-metrics.js';

const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const inAdvance = /\b(prefetch|prerender|preview)\b/i;

/**
 * Refuses requests that a browser makes in advance (`Sec-Purpose: prefetch;prerender`): no user has acted yet. The
 * answer is an error, so that the browser does not keep it and sends the request again when a user acts.
 */
@Injectable()
export class RefusesPrefetch implements CanActivate {
  constructor(private readonly metrics: PushMetrics) {}

  canActivate(context: ExecutionContext): true {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!purposeHeaders.some((name) => inAdvance.test(String(headers[name] ?? '')))) return true;
    this.metrics.callbacksRefused.inc({ reason: 'prefetch' });
    throw httpError.prefetch();
  }
}
