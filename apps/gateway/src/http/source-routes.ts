import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Queued } from '../intake/intake.js';
import { type MessageType } from '../intake/schema.js';
import { type SourceRequest, sourceRequestOf } from '../intake/source-request.js';
import { type SourceRules } from './accepts.js';

/** An API whose endpoints take the messages of a source. */
export interface SourceApi {
  /** Path before the source's identifier. */
  path: string;
  /** Whether sources whose key lies in pages and apps are refused. */
  serversOnly: boolean;
  endpoints: readonly SourceEndpoint[];
}

/** One POST: checked credentials, a limited body, 200 when it is taken. */
export interface SourceEndpoint {
  /** The last segment of its path. */
  name: string;
  message: MessageType;
  /** Whether the body is a list of messages. */
  batch?: boolean;
  /** Bytes of the body at most, inflated too. */
  bodyLimit: number;
  take: (request: SourceRequest) => Promise<Queued>;
}

/** Serves the API straight from Fastify: Nest's router would be a tenth of a request's time (decision 12). */
export function serve({ path, serversOnly, endpoints }: SourceApi, fastify: FastifyInstance): void {
  for (const { name, message, batch = false, bodyLimit, take } of endpoints) {
    const rules: SourceRules = { credentials: true, message, batch, bodyLimit, serversOnly };
    const handler = (request: FastifyRequest, reply: FastifyReply) => take(sourceRequestOf(request, reply, rules));
    fastify.post(`${path}/:sourceIdentifier/${name}`, { config: { rules } }, handler);
    // A path without the source is refused like that of an unknown one.
    fastify.post(`${path}/${name}`, { config: { rules } }, handler);
  }
}
