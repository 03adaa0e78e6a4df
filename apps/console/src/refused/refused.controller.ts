import { Controller, Param, Query } from '@nestjs/common';
import { type RefusedDetail, type RefusedList, type RefusedQuery } from '@sluice/console-api';
import { groupsQuery, type RefusalConditions, refusalParameters } from '@sluice/operations';
import { invalid, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { requirePeriod } from '../http/range.js';
import { Payloads } from '../payload/payloads.js';
import { Reads } from '../payload/reads.js';
import { type CurrentUser } from '../session/current-user.js';
import { perStep, SeriesReader, withValues } from '../status/series.js';
import { RefusedReader } from './refused-reader.js';
import { parseCursor } from './sample-cursor.js';
import { Watches } from './watches.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Answers why requests were refused. */
@Controller()
export class RefusedController {
  constructor(
    private readonly refused: RefusedReader,
    private readonly series: SeriesReader,
    private readonly payloads: Payloads,
    private readonly reads: Reads,
    private readonly watches: Watches,
  ) {}

  @Serves('GET /api/refused')
  async list(@Query() query: RefusedQuery, @ActingUser() user: CurrentUser): Promise<RefusedList> {
    const { source, reason, text, skip = 0, groups: maxGroups = 50, limit = 50 } = query;
    this.watches.look(source);
    const after = query.before === undefined ? undefined : parseCursor(query.before);
    if (query.before !== undefined && !after) throw invalid('before must be the `next` of an earlier answer.');
    const range = requirePeriod(query);
    const conditions: RefusalConditions = {
      ...range,
      ...(source !== undefined && { source }),
      ...(reason !== undefined && { reason }),
      ...(text !== undefined && { text }),
    };
    const page = { skip, limit: maxGroups };
    const [groups, samples, { series }] = await Promise.all([
      this.refused.groups(user, conditions, page),
      this.refused.samples(user, conditions, limit, after),
      this.series.refused(user, range, source),
    ]);
    const { times, stepSeconds } = series;
    const counts = perStep(series.refused, { times, stepSeconds, range });
    return {
      range: { from: range.from.toISOString(), to: range.to.toISOString() },
      ...groups,
      ...samples,
      series: { times, stepSeconds, counts },
      sql: withValues(groupsQuery(conditions, page, true), refusalParameters(conditions)),
    };
  }

  @Serves('GET /api/refused/:id')
  async show(@Param('id') id: string, @ActingUser() user: CurrentUser): Promise<RefusedDetail> {
    if (!uuid.test(id)) throw invalid('This is not a request id.');
    const wholeSample = await this.refused.findWhole(user, id);
    if (!wholeSample) throw notFound('No sample of this request was kept: only some refusals are sampled.');
    const { sample, body } = wholeSample;
    const reader = await this.reads.as(user, { object: sample.requestId });
    const shownSample = this.refused.viewSample(sample, this.payloads.chooseView(reader));
    const scope = { source: shownSample.sourceIdentifier, at: shownSample.at };
    return { ...shownSample, body: body === '' ? null : this.payloads.show(body, reader, scope) };
  }
}
