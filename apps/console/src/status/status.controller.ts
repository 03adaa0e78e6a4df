import { Controller, Query, Req } from '@nestjs/common';
import { downIn, type Overview, type Servers, type SourceFreshness, type StatusReport } from '@sluice/console-api';
import { acceptedDestinations } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { notSignedIn } from '../http/console-error.js';
import { type ConsoleRequest, Serves, User } from '../http/operation.js';
import { fieldsOf, optionalText, type Range, rangeOf } from '../http/read.js';
import { ServerWatch } from '../servers/servers.js';
import { isoOf, Tables, timeParameter } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { Payloads } from '../payload/payloads.js';
import { Sessions } from '../session/sessions.js';
import { SeriesReader } from './series.js';
import { StatusCache } from './status-cache.js';

const maxWaitMs = 25_000;
/** Rows of all kinds: a source may send a catalog only. */
const newestRows = acceptedDestinations
  .map(
    ({
      table,
    }) => `SELECT toString(source_id) AS source, toDateTime64(received_at, 3, 'UTC') AS came, toDateTime64(stored_at, 3, 'UTC') AS kept
       FROM ${table} WHERE stored_at >= {from:DateTime64(3)} - INTERVAL 1 DAY`,
  )
  .join('\n  UNION ALL ');

/** Answers whether everything flows. */
@Controller()
export class StatusController {
  constructor(
    private readonly status: StatusCache,
    private readonly watch: ServerWatch,
    private readonly series: SeriesReader,
    private readonly tables: Tables,
    private readonly sources: SourceReader,
    private readonly sessions: Sessions,
    private readonly payloads: Payloads,
  ) {}

  /** Answers as soon as it differs from what the page knows; until then the page waits, and learns of it at once. */
  @Serves('GET /api/servers')
  async servers(
    @Query() query: unknown,
    @User() user: CurrentUser,
    @Req() { socket }: ConsoleRequest,
  ): Promise<Servers> {
    const known = optionalText(fieldsOf(query), 'known', 40);
    const until = performance.now() + maxWaitMs;
    await this.watch.untilKnown();
    while (known === downIn(this.watch.current) && performance.now() < until && !socket.destroyed) {
      await this.watch.nextLook();
      // The page then asks who is signed in, and with which rights.
      if (!this.sessions.isStillValid(user) || !this.sessions.hasSameRights(user)) throw notSignedIn();
    }
    return this.watch.current;
  }

  /** Reasons of dead letters may quote what a client sent: they are masked as in the list of letters. */
  @Serves('GET /api/status')
  async report(): Promise<StatusReport> {
    const report = await this.status.report();
    const shown = (reason: string): string =>
      this.payloads.masked.value('reason', reason, { source: '', at: report.at });
    const topics = report.deadLetters.topics.map(({ reasons, ...topic }) => ({
      ...topic,
      reasons: reasons.map(({ reason, letters }) => ({ reason: shown(reason), letters })),
    }));
    return { ...report, deadLetters: { ...report.deadLetters, topics } };
  }

  @Serves('GET /api/overview')
  async overview(@Query() query: unknown, @User() user: CurrentUser): Promise<Overview> {
    const range = rangeOf(fieldsOf(query));
    const [{ series, sql }, sources] = await Promise.all([this.series.read(user, range), this.freshness(user, range)]);
    return { range: { from: range.from.toISOString(), to: range.to.toISOString() }, series, sources, sql };
  }

  private async freshness(user: CurrentUser, { from, to }: Range): Promise<SourceFreshness[]> {
    const parameters = { from: timeParameter(from), to: timeParameter(to) };
    const [rows, refused] = await Promise.all([
      this.tables.select<{ source: string; events: string; received: string; stored: string }>(
        user,
        `SELECT source, countIf(came >= {from:DateTime64(3)} AND came < {to:DateTime64(3)}) AS events,
           max(came) AS received, max(kept) AS stored
         FROM (${newestRows})
         GROUP BY source`,
        parameters,
      ),
      this.tables.select<{ source: string; requests: string }>(
        user,
        `SELECT source_id AS source, sum(requests) AS requests FROM refused_requests
         WHERE kind = 'count' AND counted = 'refused' AND received_at >= {from:DateTime64(3)} AND received_at < {to:DateTime64(3)}
         GROUP BY source`,
        parameters,
      ),
    ]);
    const bySource = new Map(rows.map((row) => [row.source, row]));
    const refusedOf = new Map(refused.map((row) => [row.source, Number(row.requests)]));
    const known = this.sources.registry.list().filter(({ status }) => status === 'enabled');
    return known
      .map(({ sourceIdentifier, name }) => {
        const row = bySource.get(sourceIdentifier);
        return {
          sourceIdentifier,
          name,
          events: Number(row?.events ?? 0),
          refused: refusedOf.get(sourceIdentifier) ?? 0,
          newestReceived: row ? isoOf(row.received) : null,
          newestStored: row ? isoOf(row.stored) : null,
        };
      })
      .sort((a, b) => (a.newestReceived ?? '').localeCompare(b.newestReceived ?? ''));
  }
}
