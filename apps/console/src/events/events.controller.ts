import { Controller, Param, Query } from '@nestjs/common';
import { type EventDetail, type EventList, type EventsQuery } from '@sluice/console-api';
import { ofInstallation } from '@sluice/contracts';
import { OperationError, parseRequestId } from '@sluice/operations';
import { invalid } from '../http/console-error.js';
import { Serves, User } from '../http/operation.js';
import { rangeOf } from '../http/range.js';
import { Payloads } from '../payload/payloads.js';
import { Reads } from '../payload/reads.js';
import { type CurrentUser } from '../session/current-user.js';
import { eventKinds } from './event-kinds.js';
import { type EventFilter } from './events-query.js';
import { EventsReader, readCursor } from './events-reader.js';

const weekMs = 7 * 24 * 3_600_000;

/** Lists and shows stored messages, also those of days ago. */
@Controller()
export class EventsController {
  constructor(
    private readonly events: EventsReader,
    private readonly payloads: Payloads,
    private readonly reads: Reads,
  ) {}

  @Serves('GET /api/events')
  async list(@Query() query: EventsQuery, @User() user: CurrentUser): Promise<EventList> {
    const { before, limit = 100 } = query;
    const filter = filterOf(query);
    const cursor = before === undefined ? undefined : readCursor(before);
    if (before !== undefined && !cursor) throw invalid('before must be the `next` of an earlier answer.');
    const range = rangeOf(query, weekMs);
    const reader = await this.reads.as(user, { object: 'events', details: { ...filter } });
    this.payloads.assertMayFilter(reader, [
      ['source', filter.source],
      ['user_id', filter.user],
      ['anonymous_id', filter.user],
      ['event', filter.event],
    ]);
    return this.events.list(reader, this.payloads.viewOf(reader), { filter, range, cursor, limit });
  }

  @Serves('GET /api/events/:id')
  async show(@Param('id') id: string, @User() user: CurrentUser): Promise<EventDetail> {
    const reader = await this.reads.as(user, { object: id.slice(0, 200) });
    return this.events.show(reader, id, this.payloads.viewOf(reader));
  }
}

function filterOf({ request, ...asked }: EventFilter): EventFilter {
  const filter: EventFilter = {};
  for (const name of ['source', 'user', 'event', 'text', 'topic'] as const) {
    const value = asked[name];
    if (value !== undefined) filter[name] = value;
  }
  if (filter.topic !== undefined) filter.topic = ofInstallation(filter.topic);
  if (filter.topic !== undefined && !eventKinds.some(({ topic }) => topic === filter.topic))
    throw invalid(`There is no topic ${filter.topic}.`);
  return request === undefined ? filter : { ...filter, request: requestOf(request) };
}

function requestOf(text: string): string {
  try {
    return parseRequestId(text).id;
  } catch (error) {
    throw error instanceof OperationError ? invalid(error.message) : error;
  }
}
