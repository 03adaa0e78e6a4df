import { type Span, type SpanContext, TraceFlags } from '@opentelemetry/api';

const form = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const none = /^0+$/;

/** The span that a `traceparent` header names (W3C Trace Context); undefined when it names none. */
export function parseTraceparent(header: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = form.exec(header) ?? [];
  if (none.test(traceId) || none.test(spanId) || traceId === '') return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
