import { type LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { activeTrace } from './tracing/spans.js';

/** Nest's log calls as JSON lines on stdout. Callers never pass bodies, keys or tokens. */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(service: string, level: string) {
    this.pino = pino({
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      // One id leads from a line to its trace and back.
      mixin: activeTrace,
      formatters: { level: (label) => ({ level: label }) },
    });
  }

  verbose = this.logAt('trace');
  debug = this.logAt('debug');
  log = this.logAt('info');
  warn = this.logAt('warn');
  error = this.logAt('error');
  fatal = this.logAt('fatal');

  /** Nest passes the message first and the context (the logging class) last; the stack of an error may come between. */
  private logAt(level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal') {
    return (message: unknown, ...rest: unknown[]): void => {
      const context = rest.length > 0 ? rest.at(-1) : undefined;
      const details = rest.slice(0, -1);
      if (message instanceof Error) this.pino[level]({ context, err: message }, message.message);
      else if (isFields(message)) this.pino[level]({ context, ...message });
      else this.pino[level]({ context, ...(details.length > 0 && { details }) }, String(message));
    };
  }
}

const isFields = (message: unknown): message is Record<string, unknown> =>
  typeof message === 'object' && message !== null;
