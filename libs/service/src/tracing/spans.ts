import {
  type Attributes,
  context,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { codeOf } from '../error-code.js';
import { parseTraceparent } from './traceparent.js';

let isOn = false;

/** Whether spans go anywhere. Who asks first pays nothing for the rest while they do not. */
export const isTracing = (): boolean => isOn;

/** Tracing has a place to send to, or no longer. */
export function setTracing(value: boolean): void {
  isOn = value;
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  links?: Link[];
  /** Value of a `traceparent` header; without it the span is within the one that is active. */
  parent?: string | undefined;
}

/** To be ended by the caller; only while tracing is on. */
export function startSpan(name: string, { parent, ...options }: SpanOptions): Span {
  return trace.getTracer('sluice').startSpan(name, options, parentContext(parent));
}

/** Does the work within a span that tells how it ended; while tracing is off it just does the work. */
export function withinSpan<T>(name: string, options: () => SpanOptions, work: () => Promise<T>): Promise<T> {
  return isOn ? doWithin(startSpan(name, options()), work) : work();
}

async function doWithin<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } catch (error) {
    // Only the code: a message may quote what was sent.
    span.setStatus({ code: SpanStatusCode.ERROR, message: codeOf(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Whether the work of this moment is part of a trace. */
export const isTraced = (): boolean => isOn && trace.getActiveSpan()?.isRecording() === true;

function parentContext(parent: string | undefined): Context {
  if (parent === undefined) return context.active();
  const remote = parseTraceparent(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}
