import { type MessageType } from '@sluice/messages';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Quota } from '../limits/quotas.js';
import { type Queued } from './intake.js';
import { type SourceRequest, readSourceRequest } from './source-request.js';
import { type SourceRules } from '../request/accepts.js';

/** An API whose endpoints take the messages of a source. */
export interface SourceApi {
  /** Path before the source's identifier. */
  path: string;
  /** Whether sources whose key is public, in pages and apps, are refused. */
  serversOnly: boolean;
  endpoints: readonly SourceEndpoint[];
}

/** One POST with checked credentials and a limited body; it is answered 200 when its messages are taken. */
export interface SourceEndpoint {
  /** Last segment of the path. */
  name: string;
  message: MessageType;
  /** Whether the body is a list of messages. */
  batch?: boolean;
  /** Upper bound of the body in bytes, also after inflating. */
  bodyLimit: number;
  /** Daily quotas that can count its messages; that of events by default. */
  quotas?: readonly Quota[];
  take: (request: SourceRequest) => Promise<Queued>;
}

const eventQuota: readonly Quota[] = ['events'];

/**
 * Serves the API straight from Fastify, without Nest, which would cost each request time (decision 12).
 * @param countryHeader see `readClientFacts`
 */
export function serveSourceApi(
  { path, serversOnly, endpoints }: SourceApi,
  fastify: FastifyInstance,
  countryHeader: string | undefined,
): void {
  for (const { name, message, batch = false, bodyLimit, quotas = eventQuota, take } of endpoints) {
    const rules: SourceRules = { credentials: true, message, batch, bodyLimit, serversOnly, quotas };
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      take(readSourceRequest(request, reply, rules, countryHeader));
    fastify.post(`${path}/:sourceIdentifier/${name}`, { config: { rules } }, handler);
    // A path without a source is refused like a path with an unknown source.
    fastify.post(`${path}/${name}`, { config: { rules } }, handler);
  }
}
