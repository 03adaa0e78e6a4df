import { Logger } from '@nestjs/common';
import { context, diag, DiagLogLevel, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { version } from '../build-info.js';
import { type Running } from '../running.js';
import { parseHeaders } from './otlp-headers.js';
import { setTracing } from './spans.js';
import { type TracingConfig } from './tracing-config.js';

const logger = new Logger('Tracing');
const maxQueuedSpans = 8_192;
const scheduledDelayMillis = 2_000;

/**
 * Exports every trace that a client sampled, and the configured share of the traces that begin here. The exporter reads
 * its address and limits from the standard variables (OTEL_EXPORTER_OTLP_*), and headers from there and from a file.
 */
export function startExporting(service: string, config: TracingConfig): Running {
  const logWarning = (message: string): void => logger.warn(message.slice(0, 300));
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: logWarning, warn: logWarning, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN },
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const file = config.OTEL_EXPORTER_OTLP_HEADERS_FILE;
  const exporter = new OTLPTraceExporter(file && { headers: () => Promise.resolve(parseHeaders(file.content)) });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': `sluice-${service}`, 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: maxQueuedSpans, scheduledDelayMillis })],
  });
  trace.setGlobalTracerProvider(provider);
  setTracing(true);
  return {
    close: async () => {
      setTracing(false);
      await provider.shutdown();
      trace.disable();
      context.disable();
    },
  };
}
