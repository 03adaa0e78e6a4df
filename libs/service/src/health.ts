import { Injectable } from '@nestjs/common';

/** Resolves when all is well, optionally with details worth showing; throws with the reason when not. */
export type HealthCheck = () => Promise<Record<string, unknown>> | Record<string, unknown>;

/** What an app says of itself. Its parts add their checks; the management port asks them. */
@Injectable()
export class Health {
  /** The process makes progress; if one fails, restarting it is right. */
  readonly live = new Map<string, HealthCheck>();
  /** It can do its work now; if one fails, it should get no new work. */
  readonly ready = new Map<string, HealthCheck>();
}
