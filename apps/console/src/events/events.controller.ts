import { Controller, Param, Query } from '@nestjs/common';
import { type EventDetail, type EventList, type EventsQuery } from '@sluice/console-api';
import { withTopicPrefix } from '@sluice/contracts';
import { OperationError, parseRequestId } from '@sluice/operations';
import { invalid } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { PerUser } from '../http/per-user.js';
import { requirePeriod } from '../http/range.js';
import { Payloads } from '../payload/payloads.js';
import { Reads } from '../payload/reads.js';
import { type CurrentUser } from '../session/current-user.js';
import { eventKinds } from './event-kinds.js';
import { type EventFilter } from './events-query.js';
import { EventsReader, readCursor } from './events-reader.js';

const weekMs = 7 * 24 * 3_600_000;
/** Text searches of one person at once: each reads whole rows. */
const maxSearches = 3;
const retrySeconds = 5;

/** Lists and shows stored messages, also those of days ago. */
@Controller()
export class EventsController {
  private readonly searches = new PerUser(
    maxSearches,
    `You have ${maxSearches} text searches running; wait until one has ended.`,
    retrySeconds,
  );

  constructor(
    private readonly events: EventsReader,
    private readonly payloads: Payloads,
    private readonly reads: Reads,
  ) {}

  @Serves('GET /api/events')
  async list(@Query() query: EventsQuery, @ActingUser() user: CurrentUser): Promise<EventList> {
    const { before, limit = 100 } = query;
    const filter = buildFilter(query);
    const cursor = before === undefined ? undefined : readCursor(before);
    if (before !== undefined && !cursor) throw invalid('before must be the `next` of an earlier answer.');
    const range = requirePeriod(query, weekMs);
    const reader = await this.reads.as(user, { object: 'events', details: { ...filter } });
    this.payloads.assertMayFilter(reader, [
      ['source', filter.source],
      ['user_id', filter.user],
      ['anonymous_id', filter.user],
      ['event', filter.event],
    ]);
    const read = (): Promise<EventList> =>
      this.events.list(reader, this.payloads.chooseView(reader), { filter, range, cursor, limit });
    return filter.text === undefined ? read() : this.searches.run(user, read);
  }

  @Serves('GET /api/events/:id')
  async show(@Param('id') id: string, @ActingUser() user: CurrentUser): Promise<EventDetail> {
    const reader = await this.reads.as(user, { object: id.slice(0, 200) });
    return this.events.show(reader, id, this.payloads.chooseView(reader));
  }
}

function buildFilter({ request, ...query }: EventFilter): EventFilter {
  const filter: EventFilter = {};
  for (const name of ['source', 'user', 'event', 'text', 'topic'] as const) {
    const value = query[name];
    if (value !== undefined) filter[name] = value;
  }
  if (filter.topic !== undefined) filter.topic = withTopicPrefix(filter.topic);
  if (filter.topic !== undefined && !eventKinds.some(({ topic }) => topic === filter.topic))
    throw invalid(`There is no topic ${filter.topic}.`);
  return request === undefined ? filter : { ...filter, request: parseRequest(request) };
}

function parseRequest(text: string): string {
  try {
    return parseRequestId(text).id;
  } catch (error) {
    throw error instanceof OperationError ? invalid(error.message) : error;
  }
}
