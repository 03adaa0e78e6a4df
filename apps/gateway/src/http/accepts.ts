import { applyDecorators, HttpCode } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type MessageType } from '../intake/schema.js';

/** What a route says of itself; the edge applies it before the body is read, the OpenAPI document shows it. */
export interface RouteRules {
  /** The messages it takes. */
  message: MessageType;
  /** Whether the body is a list of them. */
  batch: boolean;
  /** Bytes of the body at most, inflated too. */
  bodyLimit: number;
  /** Whether `Authorization` and the source in the path are checked. */
  credentials: boolean;
}

/** Marks a POST of a source's messages: checked credentials, a limited body, 200 when it is taken. */
export const Accepts = (message: MessageType, bodyLimit: number, { batch = false } = {}): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    RouteConfig({ rules: { message, batch, bodyLimit, credentials: true } satisfies RouteRules }),
  );

/** The rules of a route, if it takes messages. */
export const rulesOf = ({ config }: { config?: unknown }): RouteRules | undefined =>
  (config as { rules?: RouteRules } | undefined)?.rules;
