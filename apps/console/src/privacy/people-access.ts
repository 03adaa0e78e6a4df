import { Injectable } from '@nestjs/common';
import { type NamedId, type Person, type PersonPreview } from '@sluice/console-api';
import { type ErasurePreview, type PeopleStores, type PersonId, runWithPeopleServers } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { type ConsoleConfig } from '../config.js';
import { invalid, notFound } from '../http/console-error.js';
import { PerUser } from '../http/per-user.js';
import { type FastifyReply } from 'fastify';
import { type CurrentUser } from '../session/current-user.js';

/** Most sources with rows, and most names of sources without, that an answer has. */
const maxSources = 100;
const maxEmptyNames = 10;

/** Upper bound of a question to ClickHouse. */
const maxQuestionSeconds = 120;

/** Finds people, with one call at a time for each user: it reads large tables. */
@Injectable()
export class PeopleAccess {
  private readonly calls = new PerUser(1, 'Wait until your request before this one is answered.');

  constructor(
    readonly config: ConsoleConfig,
    private readonly sources: SourceReader,
  ) {}

  /**
   * Does work that asks ClickHouse; its questions end when the browser leaves.
   * @throws OperationError without PRIVACY_KEY, ConsoleError 429 while another request of the user runs
   */
  withStores<T>(
    user: CurrentUser,
    { raw: answer }: FastifyReply,
    work: (stores: PeopleStores) => Promise<T>,
  ): Promise<T> {
    const { config } = this;
    const { PRIVACY_KEY: key, PRIVACY_AD_REQUEST_PATHS: adRequestPaths } = config;
    const disconnection = new AbortController();
    const leave = (): void => disconnection.abort(new Error('the browser has left'));
    answer.once('close', leave);
    const limits = { signal: disconnection.signal, maxSeconds: maxQuestionSeconds };
    const people = { config, client: 'sluice-console', key, adRequestPaths, limits };
    return this.runOnePerUser(user, () => runWithPeopleServers(people, work)).finally(() => answer.off('close', leave));
  }

  /** Does work that need not look for a person. @throws ConsoleError 429 as above */
  runOnePerUser<T>(user: CurrentUser, work: () => Promise<T>): Promise<T> {
    return this.calls.run(user, work);
  }

  /** The ids in the source, or in every source. @throws ConsoleError 400, or 404 for an unknown source */
  listIds({ source, ids }: Person): PersonId[] {
    if (ids.length === 0) throw invalid('ids must have an id.');
    const { registry } = this.sources;
    if (source !== null && !registry.find(source)) throw notFound(`There is no source ${source}.`);
    const sources = source === null ? registry.list().map(({ sourceIdentifier }) => sourceIdentifier) : [source];
    return sources.flatMap((identifier) => ids.map((id) => ({ source: identifier, ...id })));
  }

  /** Shows what the tables hold of a person, with names of sources, and without ids. */
  view(preview: ErasurePreview): PersonPreview {
    const { registry } = this.sources;
    const { ids, rows, rowsBySource, othersDevices, rowsOfOthers, hasAdRequestPaths, isSuppressed } = preview;
    const withRows = new Set(rowsBySource.map(({ source }) => source));
    const emptySources = preview.sources.filter((source) => !withRows.has(source));
    return {
      ...{ ids, rows, othersDevices, rowsOfOthers, hasAdRequestPaths, isSuppressed },
      sources: rowsBySource.slice(0, maxSources).map(({ source, rows: rowsOfSource }) => ({
        sourceIdentifier: source,
        sourceName: registry.nameOf(source),
        rows: rowsOfSource,
      })),
      found: rowsBySource.length,
      emptySources: emptySources.slice(0, maxEmptyNames).map((source) => registry.nameOf(source) || source),
      emptyCount: emptySources.length,
      erasures: preview.erasures.map(({ erasure: { request, state, requestedAt }, isOfAll }) => ({
        ...{ request, state, requestedAt, isOfAll },
      })),
    };
  }
}

/** @throws ConsoleError 400 for a seller: nothing about sellers is dropped. */
export function requireSuppressible(ids: readonly NamedId[]): { kind: 'user' | 'anonymous'; id: string }[] {
  return ids.map(({ kind, id }) => {
    if (kind === 'seller') throw invalid('Messages about a seller are not dropped; erase the seller.');
    return { kind, id };
  });
}
