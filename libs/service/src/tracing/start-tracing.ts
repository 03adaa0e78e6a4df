import { type FollowedFile } from '../followed-file.js';
import { type Running } from '../running.js';

export interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string;
  readonly OTEL_EXPORTER_OTLP_HEADERS_FILE?: FollowedFile | undefined;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}

/** Starts to send spans by OTLP if an endpoint is configured. The libraries for it are loaded only then. */
export async function startTracing(service: string, config: TracingConfig): Promise<Running | undefined> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return undefined;
  const { startExporting } = await import('./otlp.js');
  return startExporting(service, config);
}
