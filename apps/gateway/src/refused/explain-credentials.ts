import { sourceIdentifierPattern } from '@sluice/contracts';
import { type SourceRegistry } from '@sluice/sources';
import { type FastifyRequest } from 'fastify';
import { readApiKey, readWriteKey } from '../auth/credentials.js';
import { readRules } from '../request/accepts.js';

/**
 * Says why the credentials of a request were refused, for the operators who see its sample. The client gets the code
 * alone: who guesses must not learn which part of a guess was right.
 * @param reason the code of the refusal
 * @returns undefined for refusals that credentials do not explain
 */
export function explainCredentials(
  request: FastifyRequest,
  registry: Pick<SourceRegistry, 'find' | 'findKey'>,
  reason: string,
): string | undefined {
  const { sourceIdentifier, apiKey } = readCredentials(request);
  if (reason === 'error.sdk.source.notFound') return sourceIdentifier && explainSource(sourceIdentifier, registry);
  if (reason !== 'error.sdk.authorization.failed') return undefined;
  if (apiKey !== undefined) return explainKey(sourceIdentifier, apiKey, registry);
  if (isOfSegment(request)) return 'it has no write key: <sourceIdentifier>_<apiKey>';
  return request.headers.authorization === undefined
    ? 'no Authorization header was sent'
    : 'the Authorization header is not "Bearer <apiKey>"';
}

interface SentCredentials {
  sourceIdentifier?: string | undefined;
  apiKey?: string | undefined;
}

/** The request's source and key, read from where its route expects them. */
function readCredentials(request: FastifyRequest): SentCredentials {
  const { sourceIdentifier, writeKey } = (request.params ?? {}) as { sourceIdentifier?: string; writeKey?: string };
  const { authorization } = request.headers;
  return isOfSegment(request)
    ? (readWriteKey(authorization, writeKey) ?? {})
    : { sourceIdentifier, apiKey: readApiKey(authorization) };
}

function isOfSegment({ routeOptions }: FastifyRequest): boolean {
  const rules = readRules(routeOptions);
  return rules?.credentials === true && rules.isSegment === true;
}

function explainSource(sourceIdentifier: string, registry: Pick<SourceRegistry, 'find'>): string {
  if (!sourceIdentifierPattern.test(sourceIdentifier)) return 'the path has no sourceIdentifier: 12 letters and digits';
  const source = registry.find(sourceIdentifier);
  if (!source) return 'no source has the identifier in the path';
  return source.status === 'enabled' ? 'the source was not enabled yet' : 'the source is disabled';
}

function explainKey(
  sourceIdentifier: string | undefined,
  apiKey: string,
  registry: Pick<SourceRegistry, 'findKey'>,
): string {
  const key = registry.findKey(apiKey);
  if (!key) return 'the key is not one of any source';
  const { revokedAt } = key;
  if (key.sourceIdentifier !== sourceIdentifier)
    return `the key is one of the source ${key.sourceIdentifier}${revokedAt === undefined ? '' : ', and revoked'}`;
  return revokedAt === undefined ? 'the key was not valid yet' : `the key is revoked since ${revokedAt}`;
}
