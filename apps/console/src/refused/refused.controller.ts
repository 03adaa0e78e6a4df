import { Controller, Param, Query } from '@nestjs/common';
import { type RefusedDetail, type RefusedList, type RefusedQuery } from '@sluice/console-api';
import { invalid, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { requirePeriod } from '../http/range.js';
import { Payloads } from '../payload/payloads.js';
import { Reads } from '../payload/reads.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { perStep, SeriesReader, withValues } from '../status/series.js';
import { type Conditions, groupsQuery, refusedParameters, sampleColumns } from './refused-query.js';
import { RefusedReader, type SampleRow } from './refused-reader.js';
import { parseCursor } from './sample-cursor.js';
import { Watches } from './watches.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Answers why requests were refused. */
@Controller()
export class RefusedController {
  constructor(
    private readonly refused: RefusedReader,
    private readonly series: SeriesReader,
    private readonly tables: Tables,
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
    const conditions: Conditions = {
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
      sql: withValues(groupsQuery(conditions, page), refusedParameters(conditions)),
    };
  }

  @Serves('GET /api/refused/:id')
  async show(@Param('id') id: string, @ActingUser() user: CurrentUser): Promise<RefusedDetail> {
    if (!uuid.test(id)) throw invalid('This is not a request id.');
    const [row] = await this.tables.select<SampleRow & { body: string }>(
      user,
      `SELECT ${sampleColumns}, body FROM refused_requests WHERE request_id = {id:UUID} AND kind != 'count' LIMIT 1`,
      { id },
    );
    if (!row) throw notFound('No sample of this request was kept: only some refusals are sampled.');
    const { body, ...sample } = row;
    const reader = await this.reads.as(user, { object: sample.requestId });
    const shownSample = this.refused.viewSample(sample, this.payloads.chooseView(reader));
    const scope = { source: shownSample.sourceIdentifier, at: shownSample.at };
    return { ...shownSample, body: body === '' ? null : this.payloads.show(body, reader, scope) };
  }
}
