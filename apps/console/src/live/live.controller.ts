import { Controller, Query, Res } from '@nestjs/common';
import { type LiveQuery } from '@sluice/console-api';
import { withTopicPrefix } from '@sluice/contracts';
import { acceptedDestinations } from '@sluice/operations';
import { type FastifyReply } from 'fastify';
import { invalid, tooMany } from '../http/console-error.js';
import { eventStream } from '../http/event-stream.js';
import { Serves, ActingUser } from '../http/operation.js';
import { Reads } from '../payload/reads.js';
import { type CurrentUser } from '../session/current-user.js';
import { Live } from './live.js';
import { type LiveFilter } from './live-filter.js';
import { Viewer } from './viewer.js';

const topics = acceptedDestinations.map(({ topic }) => topic);

/** Streams what arrives, as server-sent events. */
@Controller()
export class LiveController {
  constructor(
    private readonly live: Live,
    private readonly reads: Reads,
  ) {}

  @Serves('GET /api/live')
  async stream(@Query() query: LiveQuery, @ActingUser() user: CurrentUser, @Res() reply: FastifyReply): Promise<void> {
    const filter = parseFilter(query);
    const { source, user: person, event } = filter;
    this.live.payloads.assertMayFilter(user, [
      ['source', source],
      ['user_id', person],
      ['anonymous_id', person],
      ['event', event],
    ]);
    const leave = this.live.reserve(user.id);
    if (!leave) throw tooMany('Too many live views are open; close one.');
    reply.raw.on('close', leave);
    const reader = await this.reads.as(user, { object: 'live', details: { ...filter } });
    if (reply.raw.destroyed) return;
    const raw = eventStream(reply);
    const viewer: Viewer = new Viewer(user, filter, raw, () => this.live.payloads.chooseView(reader));
    raw.on('close', () => this.live.remove(viewer));
    raw.on('error', () => this.live.remove(viewer));
    await this.live.add(viewer);
  }
}

function parseFilter({ topic: topicName, ...filter }: LiveQuery): LiveFilter {
  const topic = topicName === undefined ? undefined : withTopicPrefix(topicName);
  if (topic !== undefined && !topics.includes(topic)) throw invalid(`There is no topic ${topic}.`);
  return { topics: topic === undefined ? topics : [topic], ...filter };
}
