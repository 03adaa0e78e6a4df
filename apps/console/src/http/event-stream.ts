import { type ServerResponse } from 'node:http';
import { type FastifyReply } from 'fastify';

/** Begins a stream of server-sent events, with the headers that the gate has set. */
export function eventStream(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  return raw;
}
