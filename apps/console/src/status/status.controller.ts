import { Controller, Query, Res } from '@nestjs/common';
import { type Overview, type RangeQuery, type SourceFreshness, type StatusReport } from '@sluice/console-api';
import { SourceReader } from '@sluice/sources';
import { type FastifyReply } from 'fastify';
import { tooMany } from '../http/console-error.js';
import { eventStream } from '../http/event-stream.js';
import { Serves, ActingUser } from '../http/operation.js';
import { requirePeriod } from '../http/range.js';
import { type CurrentUser } from '../session/current-user.js';
import { Payloads } from '../payload/payloads.js';
import { SourceActivity } from '../sources/source-activity.js';
import { inOrderOfLook, judgeLook } from '../sources/source-order.js';
import { NowStreams } from './now-streams.js';
import { SeriesReader } from './series.js';
import { shownReport } from './shown-report.js';
import { StatusCache } from './status-cache.js';

/** Number of sources that the overview shows. */
const shownSources = 10;

/** Answers whether everything flows. */
@Controller()
export class StatusController {
  constructor(
    private readonly status: StatusCache,
    private readonly streams: NowStreams,
    private readonly series: SeriesReader,
    private readonly activity: SourceActivity,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
  ) {}

  /** Streams which servers are unreachable, and the report: one stream for each tab. */
  @Serves('GET /api/now')
  async now(@ActingUser() user: CurrentUser, @Res() reply: FastifyReply): Promise<void> {
    if (!this.streams.hasRoomFor(user)) throw tooMany('Too many pages are open; close one.');
    await this.streams.add(user, eventStream(reply));
  }

  @Serves('GET /api/status')
  async report(): Promise<StatusReport> {
    return shownReport(await this.status.report(), this.payloads);
  }

  @Serves('GET /api/overview')
  async overview(@Query() query: RangeQuery, @ActingUser() user: CurrentUser): Promise<Overview> {
    const range = requirePeriod(query);
    const [{ series, sql }, activityOf] = await Promise.all([
      this.series.read(user, range),
      this.activity.within(user, range),
    ]);
    const enabled = this.sources.registry.list().filter(({ status }) => status === 'enabled');
    const sources = inOrderOfLook(enabled, activityOf)
      .slice(0, shownSources)
      .map(({ sourceIdentifier, name }): SourceFreshness => {
        const activity = activityOf(sourceIdentifier);
        const look = judgeLook(activity);
        return { sourceIdentifier, name, ...activity, ...(look && { look }) };
      });
    const shownRange = { from: range.from.toISOString(), to: range.to.toISOString() };
    return { range: shownRange, series, sources, enabledSources: enabled.length, sql };
  }
}
