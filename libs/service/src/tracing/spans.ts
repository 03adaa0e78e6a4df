import {
  type Attributes,
  context,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { errorCode } from '../error-code.js';
import { parseTraceparent } from './traceparent.js';

let isOn = false;

/** Whether spans are exported. Callers check it first and skip all other work for spans while it is off. */
export const isTracing = (): boolean => isOn;

/** Turns tracing on or off. */
export function setTracing(value: boolean): void {
  isOn = value;
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  links?: Link[];
  /** Value of a `traceparent` header; without it, the active span is the parent. */
  parent?: string | undefined;
  /** Time at which the work began, milliseconds since 1970; now when left out. */
  startTime?: number;
}

/** Starts a span, which the caller must end. Call it only while tracing is on. */
export function startSpan(name: string, { parent, ...options }: SpanOptions): Span {
  return trace.getTracer('sluice').startSpan(name, options, parentContext(parent));
}

/** Does the work within a span that records its outcome. While tracing is off, it only does the work. */
export function withinSpan<T>(name: string, options: () => SpanOptions, work: () => Promise<T>): Promise<T> {
  return isOn ? runWithin(startSpan(name, options()), work) : work();
}

/** Spans within which errors arose, for the log lines that name them later. */
const spansByError = new WeakMap<object, SpanContext>();

async function runWithin<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } catch (error) {
    if (error instanceof Error && !spansByError.has(error)) spansByError.set(error, span.spanContext());
    // Only the code: a message may quote data that was sent.
    span.setStatus({ code: SpanStatusCode.ERROR, message: errorCode(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** The span of the current work. */
export const activeSpan = (): Span | undefined => (isOn ? trace.getActiveSpan() : undefined);

/** Log fields that lead from a line to its trace; the names are OpenTelemetry's. */
export type TraceFields = Partial<Record<'trace_id' | 'span_id', string>>;

/** Names the active span; empty while there is none. */
export function activeTrace(): TraceFields {
  return traceFields(activeSpan()?.spanContext());
}

/** Names the span within which an error arose, after that span has ended. */
export function errorTrace(error: unknown): TraceFields {
  return error instanceof Error ? traceFields(spansByError.get(error)) : {};
}

/** Names the span of a `traceparent` header, also while this process sends no spans. */
export function headerTrace(traceparent: unknown): TraceFields {
  return typeof traceparent === 'string' ? traceFields(parseTraceparent(traceparent)) : {};
}

const traceFields = (span: SpanContext | undefined): TraceFields =>
  span ? { trace_id: span.traceId, span_id: span.spanId } : {};

/** Whether the current work belongs to a trace that is recorded. */
export const isTraced = (): boolean => activeSpan()?.isRecording() === true;

function parentContext(parent: string | undefined): Context {
  if (parent === undefined) return context.active();
  const remote = parseTraceparent(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}
