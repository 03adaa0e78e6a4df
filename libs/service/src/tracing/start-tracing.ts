import { type Running } from '../running.js';
import { type TracingConfig } from './tracing-config.js';

/** Starts to send spans by OTLP if an endpoint is configured. The libraries for it are loaded only then. */
export async function startTracing(service: string, config: TracingConfig): Promise<Running | undefined> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return undefined;
  const { startExporting } = await import('./otlp.js');
  return startExporting(service, config);
}
