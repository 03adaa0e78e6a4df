import { Controller, Query, Res } from '@nestjs/common';
import { type Overview, type RangeQuery, type SourceFreshness, type StatusReport } from '@sluice/console-api';
import { acceptedDestinations } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { type FastifyReply } from 'fastify';
import { tooMany } from '../http/console-error.js';
import { eventStream } from '../http/event-stream.js';
import { Serves, User } from '../http/operation.js';
import { type Range, rangeOf } from '../http/range.js';
import { isoOf, Tables, timeParameter } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { Payloads } from '../payload/payloads.js';
import { NowStreams } from './now-streams.js';
import { SeriesReader } from './series.js';
import { shownReport } from './shown-report.js';
import { StatusCache } from './status-cache.js';

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
    private readonly streams: NowStreams,
    private readonly series: SeriesReader,
    private readonly tables: Tables,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
  ) {}

  /** Streams which servers are unreachable, and the report: one stream for each tab. */
  @Serves('GET /api/now')
  async now(@User() user: CurrentUser, @Res() reply: FastifyReply): Promise<void> {
    if (!this.streams.hasRoomFor(user)) throw tooMany('Too many pages are open; close one.');
    await this.streams.add(user, eventStream(reply));
  }

  @Serves('GET /api/status')
  async report(): Promise<StatusReport> {
    return shownReport(await this.status.report(), this.payloads);
  }

  @Serves('GET /api/overview')
  async overview(@Query() query: RangeQuery, @User() user: CurrentUser): Promise<Overview> {
    const range = rangeOf(query);
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
