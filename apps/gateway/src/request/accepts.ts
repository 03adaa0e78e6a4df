import { applyDecorators, HttpCode } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type MessageType } from '@sluice/messages';
import { type Quota } from '../limits/quotas.js';

/** Rules that a route declares; the edge applies them before the body is read, the OpenAPI document shows them. */
export type RouteRules = SourceRules | KeylessRules;

/** Rules of a route on which `Authorization` and the source in the path are checked. */
export interface SourceRules {
  credentials: true;
  /** Type of the messages that the route takes. */
  message: MessageType;
  /** Whether the body is a list of messages. */
  batch: boolean;
  /** Upper bound of the body in bytes, also after inflating. */
  bodyLimit: number;
  /** Whether sources whose key is public are refused. */
  serversOnly: boolean;
  /** Daily quotas that can count its messages; the body is not read when all are used up. */
  quotas: readonly Quota[];
  /**
   * Whether clients of Segment send to the route: it takes a write key and any `Content-Type`, and answers errors as an
   * object, with 429 in place of 503: they obey `Retry-After` on 429 alone (docs/segment.md).
   */
  isSegment?: boolean;
}

/** Rules of a route that takes no key; all such routes share one budget. */
export interface KeylessRules {
  credentials: false;
  bodyLimit: number;
  /** Text for the API's documentation. */
  operation: KeylessOperation;
}

export interface KeylessOperation {
  tag: string;
  summary: string;
  /** Parameters of the query; none for a route with a body. */
  parameters?: readonly QueryParameter[];
  /** Describes the object that the route answers with; undefined for a route that takes a message. */
  answer?: string;
}

export interface QueryParameter {
  name: string;
  required: boolean;
  description: string;
  schema: { type: 'string'; maxLength?: number; enum?: string[] };
}

/** Marks a route that takes no credentials. */
export const Keyless = (operation: KeylessOperation, { bodyLimit = 1, status = 200 } = {}): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    RouteConfig({ rules: { credentials: false, bodyLimit, operation } satisfies KeylessRules }),
  );

/** The rules that a route declares, if it has any. */
export const readRules = ({ config }: { config?: unknown }): RouteRules | undefined =>
  (config as { rules?: RouteRules } | undefined)?.rules;
