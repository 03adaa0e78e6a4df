import { type FollowedFile } from '../followed-file.js';

/** Settings of tracing; without an endpoint there is none. */
export interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string;
  readonly OTEL_EXPORTER_OTLP_HEADERS_FILE?: FollowedFile | undefined;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}
