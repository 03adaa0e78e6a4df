import { type LoggerService } from '@nestjs/common';

/** Log lines for who looks for a fault (LOG_LEVEL=debug); stdout is for the answer alone. */
export class StderrLogger implements LoggerService {
  log = write;
  error = write;
  warn = write;
  debug = write;
}

function write(...parts: unknown[]): void {
  console.error(...parts);
}
