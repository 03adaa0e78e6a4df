import { type FastifyRequest } from 'fastify';
import { pipelined } from '../request/pipelined-request.js';

const maxLength = 2_048;
/** A sourceIdentifier, alone or with its key behind it. */
const source = /(?<![A-Za-z0-9])[A-Za-z0-9]{12}(?![A-Za-z0-9])/g;
const credentials = /^Basic +([A-Za-z0-9+/]{16})/i;

/**
 * Sources that a request may be of: that of its valid key, or else each that its path or its Basic credentials name. An
 * unknown route has no parameters, so the path is read as text.
 */
export function listNamedSources(request: FastifyRequest): readonly string[] {
  const { source: proven } = pipelined(request);
  if (proven !== undefined) return [proven];
  const [, encoded = ''] = credentials.exec(request.headers.authorization ?? '') ?? [];
  const namedSource = Buffer.from(encoded, 'base64').toString('latin1');
  return [namedSource, ...(request.url.slice(0, maxLength).match(source) ?? [])];
}
