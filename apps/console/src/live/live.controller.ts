import { Controller, Query, Res } from '@nestjs/common';
import { ofInstallation } from '@sluice/contracts';
import { acceptedDestinations } from '@sluice/operations';
import { type FastifyReply } from 'fastify';
import { invalid, tooMany } from '../http/console-error.js';
import { Serves, User } from '../http/operation.js';
import { fieldsOf, optionalText } from '../http/read.js';
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
  async stream(@Query() query: unknown, @User() user: CurrentUser, @Res() reply: FastifyReply): Promise<void> {
    const filter = filterOf(fieldsOf(query));
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
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    const viewer: Viewer = new Viewer(user, filter, raw, () => this.live.payloads.viewOf(reader));
    raw.on('close', () => this.live.remove(viewer));
    raw.on('error', () => this.live.remove(viewer));
    await this.live.add(viewer);
  }
}

function filterOf(fields: Record<string, unknown>): LiveFilter {
  const named = optionalText(fields, 'topic', 200);
  const topic = named === undefined ? undefined : ofInstallation(named);
  if (topic !== undefined && !topics.includes(topic)) throw invalid(`There is no topic ${topic}.`);
  const [source, user, event] = ['source', 'user', 'event'].map((name) => optionalText(fields, name, 200));
  return {
    topics: topic === undefined ? topics : [topic],
    ...(source !== undefined && { source }),
    ...(user !== undefined && { user }),
    ...(event !== undefined && { event }),
  };
}
