import { Controller, Query } from '@nestjs/common';
import { toClickHouseTime } from '@sluice/clickhouse';
import { type SearchHit, type SearchQuery, type SearchResult } from '@sluice/console-api';
import { parseRequestId, describeFailure } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { Serves, ActingUser } from '../http/operation.js';
import { PerUser } from '../http/per-user.js';
import { Payloads } from '../payload/payloads.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { eventKinds } from './event-kinds.js';

const searchedMs = 7 * 24 * 3_600_000;
const maxOfKind = 8;
/** Searches of one person at once: each counts a week of rows of all tables. */
const maxSearches = 3;
const retrySeconds = 5;
const letterId = /^[\w.]+:\d+:\d+@\d+$/;

/** Finds what a text may mean: a source, a request, a dead letter, a user, an event. */
@Controller()
export class SearchController {
  private readonly searches = new PerUser(
    maxSearches,
    `You have ${maxSearches} searches running; wait until one has ended.`,
    retrySeconds,
  );

  constructor(
    private readonly tables: Tables,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
  ) {}

  @Serves('GET /api/search')
  search(@Query() { q }: SearchQuery, @ActingUser() user: CurrentUser): Promise<SearchResult> {
    return this.searches.run(user, () => this.find(q.trim(), user));
  }

  private async find(text: string, user: CurrentUser): Promise<SearchResult> {
    const directHits = [...requestHits(text), ...letterHits(text), ...this.sourceHits(text)];
    const lookups = await Promise.allSettled([this.userHits(user, text), this.eventHits(user, text)]);
    const failed = lookups.flatMap((lookup) => (lookup.status === 'rejected' ? [describeFailure(lookup.reason)] : []));
    return {
      hits: [...directHits, ...lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []))],
      problems: [...new Set(failed)],
    };
  }

  /** Sources by name or identifier; names may repeat, so the identifier is shown too. */
  private sourceHits(text: string): SearchHit[] {
    const searchText = text.toLowerCase();
    return this.sources.registry
      .list()
      .filter(({ name, sourceIdentifier: id }) => name.toLowerCase().includes(searchText) || id === text)
      .slice(0, maxOfKind)
      .map(({ name, type, sourceIdentifier: id }) => ({
        kind: 'source',
        title: name,
        detail: `${type}, ${id}`,
        to: `/sources/${id}`,
      }));
  }

  private async userHits(user: CurrentUser, text: string): Promise<SearchHit[]> {
    const view = this.payloads.chooseView(user);
    if (view.hides('user_id', text) || view.hides('anonymous_id', text)) return [];
    const counts = eventKinds
      .filter((kind) => kind.user !== "''")
      .map(
        ({ table }) => `SELECT count() AS rows, max(received_at) AS last FROM ${table}
           WHERE received_at >= {from:DateTime64(3)} AND (user_id = {text:String} OR anonymous_id = {text:String})`,
      );
    const [row] = await this.tables.select<{ total: string; newest: string }>(
      user,
      `SELECT sum(rows) AS total, formatDateTime(max(last), '%F %T') AS newest FROM (${counts.join(' UNION ALL ')})`,
      { from: sevenDaysAgo(), text },
    );
    const total = Number(row?.total ?? 0);
    if (total === 0) return [];
    const detail = `${total} messages in 7 days, the newest at ${row?.newest ?? ''} UTC`;
    return [{ kind: 'user', title: text, detail, to: `/events?user=${encodeURIComponent(text)}` }];
  }

  /** Events whose names contain the text, most frequent first. */
  private async eventHits(user: CurrentUser, text: string): Promise<SearchHit[]> {
    const view = this.payloads.chooseView(user);
    if (view.hides('event', text)) return [];
    const rows = await this.tables.select<{ name: string; total: string }>(
      user,
      `SELECT toString(event) AS name, count() AS total FROM events
       WHERE received_at >= {from:DateTime64(3)} AND positionCaseInsensitiveUTF8(event, {text:String}) > 0
       GROUP BY name ORDER BY total DESC LIMIT ${maxOfKind}`,
      { from: sevenDaysAgo(), text },
    );
    return rows
      .filter(({ name }) => !view.hides('event', name))
      .map(({ name, total }) => ({
        kind: 'event',
        title: name,
        detail: `${total} in 7 days`,
        to: `/events?event=${encodeURIComponent(name)}`,
      }));
  }
}

const sevenDaysAgo = (): string => toClickHouseTime(new Date(Date.now() - searchedMs));

/** A text that has the form of a request id may still be a user: both are listed. */
function requestHits(text: string): SearchHit[] {
  try {
    const { id, receivedAt } = parseRequestId(text);
    const detail = `received at ${new Date(receivedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
    return [{ kind: 'request', title: id, detail, to: `/requests/${id}` }];
  } catch {
    return [];
  }
}

const letterHits = (text: string): SearchHit[] =>
  letterId.test(text)
    ? [{ kind: 'letter', title: text, detail: 'dead letter', to: `/dead-letters/${encodeURIComponent(text)}` }]
    : [];
