import { Injectable } from '@nestjs/common';

/** Resolves when the part is healthy, optionally with details to show; throws the reason when it is not. */
export type HealthCheck = () => Promise<Record<string, unknown>> | Record<string, unknown>;

/** Health checks of an app. Its parts add their checks; the management port runs them. */
@Injectable()
export class Health {
  /** Checks that the process makes progress. If one fails, the process should be restarted. */
  readonly live = new Map<string, HealthCheck>();
  /** Checks that the process can do its work now. If one fails, it should get no new work. */
  readonly ready = new Map<string, HealthCheck>();
}
