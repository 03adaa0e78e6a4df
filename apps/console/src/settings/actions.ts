import { Injectable } from '@nestjs/common';
import { Audit } from '@sluice/operations';
import { type ConsoleSite } from '../config.js';
import { type CurrentUser } from '../session/current-user.js';

export interface UserAction {
  /** Such as `sources.create`. */
  operation: string;
  object: string;
  details?: Record<string, unknown>;
}

/** Records what users do, before it is done. */
@Injectable()
export class Actions {
  constructor(
    private readonly audit: Audit,
    readonly site: ConsoleSite,
  ) {}

  /** @throws ServerUnreachableError when the action cannot be recorded: it is not run then. */
  record<T>(user: CurrentUser, action: UserAction, work: () => Promise<T>): Promise<T> {
    const actor = { actor: user.id, role: user.role, face: 'console', origin: user.address } as const;
    return this.audit.record({ ...actor, ...action }, work);
  }
}
