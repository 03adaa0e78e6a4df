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
}

/** Starts a span, which the caller must end. Call it only while tracing is on. */
export function startSpan(name: string, { parent, ...options }: SpanOptions): Span {
  return trace.getTracer('sluice').startSpan(name, options, parentContext(parent));
}

/** Does the work within a span that records its outcome. While tracing is off, it only does the work. */
export function withinSpan<T>(name: string, options: () => SpanOptions, work: () => Promise<T>): Promise<T> {
  return isOn ? doWithin(startSpan(name, options()), work) : work();
}

async function doWithin<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } catch (error) {
    // Only the code: a message may quote data that was sent.
    span.setStatus({ code: SpanStatusCode.ERROR, message: codeOf(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Whether the current work belongs to a trace that is recorded. */
export const isTraced = (): boolean => isOn && trace.getActiveSpan()?.isRecording() === true;

function parentContext(parent: string | undefined): Context {
  if (parent === undefined) return context.active();
  const remote = parseTraceparent(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}
