import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  RequestMapping,
  RequestMethod,
} from '@nestjs/common';
import { type Operation } from '@sluice/console-api';
import { type FastifyRequest } from 'fastify';
import { type CurrentUser } from '../session/current-user.js';
import { notSignedIn } from './console-error.js';

/** Serves an operation of `libs/console-api`, which also knows its role. */
export function Serves(operation: Operation): MethodDecorator {
  const [method = '', path = ''] = operation.split(' ');
  return applyDecorators(RequestMapping({ method: RequestMethod[method as 'GET'], path }), HttpCode(200));
}

/** A request whose user is known. */
export type ConsoleRequest = FastifyRequest & { currentUser?: CurrentUser };

/** Gives a controller the user of the request. */
export const ActingUser = createParamDecorator((_: unknown, context: ExecutionContext): CurrentUser => {
  const { currentUser } = context.switchToHttp().getRequest<ConsoleRequest>();
  if (!currentUser) throw notSignedIn();
  return currentUser;
});
