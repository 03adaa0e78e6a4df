import { type LoggerService } from '@nestjs/common';
import { errorCode, headerTrace } from '@sluice/service';

const maxPerSecond = 10;

/** A request that was answered 5xx, and its error. */
export interface RequestFailure {
  requestId: string;
  /** Path of the route, with its parameters as `:name`. */
  route: string;
  status: number;
  /** The request's `traceparent` header: that of the gateway's span if it sends spans, else that of the client. */
  traceparent?: unknown;
  error: unknown;
}

/**
 * Writes a line for each failed request, up to a limit per second: an outage fails thousands of them. A line has the
 * error's type and, unless the status is 503, its stack frames. It leaves out the message, which may quote the request.
 */
export class FailureLog {
  private second = 0;
  private written = 0;
  private leftOut = 0;

  constructor(private readonly logger: Pick<LoggerService, 'warn' | 'error'>) {}

  write({ error, status, traceparent, ...request }: RequestFailure, now = performance.now()): void {
    const second = Math.floor(now / 1_000);
    if (second !== this.second) [this.second, this.written] = [second, 0];
    if (this.written >= maxPerSecond) {
      this.leftOut += 1;
      return;
    }
    this.written += 1;
    const leftOut = this.leftOut > 0 && { leftOut: this.leftOut };
    const line = { ...request, status, error: errorCode(error), ...headerTrace(traceparent), ...leftOut };
    this.leftOut = 0;
    if (status === 503) this.logger.warn({ msg: 'a request was not taken', ...line });
    else this.logger.error({ msg: 'a request failed', ...line, at: listFrames(error) });
  }
}

const listFrames = (error: unknown): string[] =>
  error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
