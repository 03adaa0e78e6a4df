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
import { setTracing } from './spans.js';

const logger = new Logger('Tracing');
const queued = 8_192;
const scheduledDelayMillis = 2_000;

/**
 * Exports every trace that a client sampled, and the given share of the traces that begin here. The exporter reads its
 * address, headers and limits from the standard variables (OTEL_EXPORTER_OTLP_*).
 */
export function startExporting(service: string, share: number): Running {
  const complain = (message: string): void => {
    logger.warn(message.slice(0, 300));
  };
  const silent = (): void => undefined;
  diag.setLogger(
    { error: complain, warn: complain, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN },
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new OTLPTraceExporter();
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': `sluice-${service}`, 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: queued, scheduledDelayMillis })],
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
