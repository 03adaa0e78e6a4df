import { Injectable } from '@nestjs/common';
import { type NamedId, type Person } from '@sluice/console-api';
import { type PeoplePlaces, type PersonId, withPeople } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { type ConsoleConfig } from '../config.js';
import { invalid, notFound, tooMany } from '../http/console-error.js';
import { type CurrentUser } from '../session/current-user.js';

/** Finds people, with one call at a time for each user: it reads large tables. */
@Injectable()
export class PeopleAccess {
  private readonly working = new Set<string>();

  constructor(
    readonly config: ConsoleConfig,
    private readonly sources: SourceReader,
  ) {}

  /** @throws OperationError without PRIVACY_KEY, ConsoleError 429 while another request of the user runs. */
  use<T>(user: CurrentUser, work: (places: PeoplePlaces) => Promise<T>): Promise<T> {
    const { config } = this;
    const { PRIVACY_KEY: key, PRIVACY_AD_REQUEST_PATHS: adRequestPaths } = config;
    return this.alone(user, () => withPeople({ config, client: 'sluice-console', key, adRequestPaths }, work));
  }

  /** Does work that need not look for a person. @throws ConsoleError 429 as above */
  async alone<T>(user: CurrentUser, work: () => Promise<T>): Promise<T> {
    if (this.working.has(user.id)) throw tooMany('Wait until your request before this one is answered.');
    this.working.add(user.id);
    try {
      return await work();
    } finally {
      this.working.delete(user.id);
    }
  }

  /** The ids in the source, or in every source. @throws ConsoleError 400, or 404 for an unknown source */
  idsOf({ source, ids }: Person): PersonId[] {
    if (ids.length === 0) throw invalid('ids must have an id.');
    const { registry } = this.sources;
    if (source !== null && !registry.find(source)) throw notFound(`There is no source ${source}.`);
    const sources = source === null ? registry.list().map(({ sourceIdentifier }) => sourceIdentifier) : [source];
    return sources.flatMap((one) => ids.map((id) => ({ source: one, ...id })));
  }
}

/** @throws ConsoleError 400 for a seller: nothing about sellers is dropped. */
export function suppressible(ids: readonly NamedId[]): { kind: 'user' | 'anonymous'; id: string }[] {
  return ids.map(({ kind, id }) => {
    if (kind === 'seller') throw invalid('Messages about a seller are not dropped; erase the seller.');
    return { kind, id };
  });
}
