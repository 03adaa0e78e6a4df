import { applyDecorators, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { type Topic } from '@sluice/contracts';
import { type Observable, throwError } from 'rxjs';

/** Hands errors of a handler to the block consumer as they are; Nest's own filter would hide them. */
@Catch()
class PassErrorsOn implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** Marks the method that stores the blocks of a topic: `(block: Block) => Promise<Rejection[]>`. */
export const HandlesBlocks = (topic: Topic): MethodDecorator =>
  applyDecorators(EventPattern(topic.name) as MethodDecorator, UseFilters(PassErrorsOn));
