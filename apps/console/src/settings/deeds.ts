import { Injectable } from '@nestjs/common';
import { Audit, ServerAwayError } from '@sluice/operations';
import { type Site } from '../config.js';
import { type CurrentUser } from '../session/current-user.js';

export interface DeedOfUser {
  /** Such as `sources.create`. */
  operation: string;
  object: string;
  details?: Record<string, unknown>;
}

/** Writes down what users do, before they do it. */
@Injectable()
export class Deeds {
  constructor(
    private readonly audit: Audit,
    readonly site: Site,
  ) {}

  /** @throws ServerAwayError when the deed cannot be written down: it is not done then. */
  async record<T>(user: CurrentUser, deed: DeedOfUser, work: () => Promise<T>): Promise<T> {
    const state = { isBegun: false };
    const actor = { actor: user.id, role: user.role, face: 'console', origin: user.address } as const;
    try {
      return await this.audit.record({ ...actor, ...deed }, () => {
        state.isBegun = true;
        return work();
      });
    } catch (error) {
      if (state.isBegun) throw error;
      throw new ServerAwayError('kafka', 'Kafka does not take the audit record, so nothing was done.', {
        cause: error,
      });
    }
  }
}
