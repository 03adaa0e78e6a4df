import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { NotPublishedError } from '@sluice/kafka';
import { type FastifyReply } from 'fastify';
import { ApiError, refusal } from './api-error.js';

/** The one place where an error becomes an answer. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ApiErrorFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const { status, headers, problems } = this.toApiError(error);
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.code(status).headers(headers).send(problems);
  }

  private toApiError(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof NotPublishedError) return refusal.unavailable();
    if (error instanceof HttpException) return refusalOf(error.getStatus());
    this.logger.error(error);
    return refusal.internal();
  }
}

/** What Nest and Fastify refuse by themselves, told by status alone. */
function refusalOf(status: number): ApiError {
  switch (status) {
    case 404:
      return refusal.notFound();
    case 408:
      return refusal.timedOut();
    case 413:
      return refusal.tooLarge();
    case 415:
      return refusal.unsupportedMediaType();
    default:
      return status < 500 ? refusal.malformed() : refusal.internal();
  }
}
