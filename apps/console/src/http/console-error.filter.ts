import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { type ApiProblem } from '@sluice/console-api';
import { OperationError, ServerUnreachableError } from '@sluice/operations';
import { PlanChangeError } from '@sluice/plans';
import { errorCode } from '@sluice/service';
import { SourceError } from '@sluice/sources';
import { type FastifyReply } from 'fastify';
import { unreachable, conflict, ConsoleError, invalid, notFound } from './console-error.js';

/** Converts errors to answers; no other place does. */
@Catch()
export class ConsoleErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ConsoleErrorFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.raw.destroyed) return;
    const { status, problem, retryAfter } = this.toConsoleError(error);
    if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
    void reply.code(status).send(problem satisfies ApiProblem);
  }

  private toConsoleError(error: unknown): ConsoleError {
    if (error instanceof ConsoleError) return error;
    if (error instanceof ServerUnreachableError) return unreachable(error.server, error.message);
    if (error instanceof SourceError) return conflict(error.message);
    if (error instanceof OperationError || error instanceof PlanChangeError) return invalid(error.message);
    if (error instanceof HttpException) {
      return error.getStatus() === 404 ? notFound('Page not found.') : invalid(error.message);
    }
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status < 500) return invalid('The request could not be read.');
    this.logger.error({
      msg: 'a request failed',
      error: errorCode(error),
      at: (error as Error).stack?.slice(0, 1_000),
    });
    return new ConsoleError(500, {
      code: 'internal',
      message: 'Something went wrong. The log of the console has the details.',
    });
  }
}
