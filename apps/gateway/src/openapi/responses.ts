import { type ApiError, httpError } from '../errors/api-error.js';
import { problems, reference } from './schemas.js';

export const requestId = {
  description: 'UUIDv7 of this request; use it to find its events.',
  schema: { type: 'string' as const },
};
export const retryAfter = { description: 'Seconds to wait.', schema: { type: 'integer' as const } };

export const takenResponse = {
  description: 'Every message is durable.',
  headers: { 'X-Request-Id': requestId },
  content: { 'application/json': { schema: reference('Queued'), example: { status: 'QUEUED' } } },
};

export const noContent = { description: 'The message is durable.', headers: { 'X-Request-Id': requestId } };

export const anyObject = (description: string) => ({
  description,
  headers: { 'X-Request-Id': requestId },
  content: { 'application/json': { schema: { type: 'object' } } },
});

const describeRefusal = (description: string, errors: readonly ApiError[], headers: object = {}) => ({
  description,
  headers: { 'X-Request-Id': requestId, ...headers },
  content: {
    'application/json': {
      schema: problems,
      examples: Object.fromEntries(errors.map(({ problems: value }) => [value[0]?.message ?? '', { value }])),
    },
  },
});

/** Error for a page of an origin that the source does not accept. */
export const originRefused = describeRefusal('The request comes from a page whose origin the source does not accept.', [
  httpError.originForbidden(),
]);

/** Errors of a route for servers: the key of the source is public, or the page's origin is not accepted. */
export const publicKeyRefused = describeRefusal(
  'The source is of a type that may only track and identify, or does not accept the origin of the page.',
  [httpError.sourceForbidden(), httpError.originForbidden()],
);

/** Error for a callback that a browser prefetches: no user has acted yet. */
export const prefetchRefused = describeRefusal('The request is a prefetch; nothing is recorded.', [
  httpError.prefetch(),
]);

/** Errors of every endpoint of a source, with real bodies as examples. */
export const refusals = {
  '400': describeRefusal('The body is malformed, or fields break their rules; every problem is named.', [
    httpError.malformed(),
  ]),
  '401': describeRefusal('The key is missing, malformed, or not the source’s.', [httpError.authorizationFailed()]),
  '404': describeRefusal('The source is missing, malformed, unknown or disabled.', [httpError.sourceNotFound()]),
  '405': describeRefusal('The path does not take this method; see Allow.', [httpError.methodNotAllowed(['POST'])], {
    Allow: { description: 'Methods of this path.', schema: { type: 'string' as const } },
  }),
  '408': describeRefusal('The request took too long to arrive.', [httpError.timedOut()]),
  '413': describeRefusal('The body is too large.', [httpError.tooLarge()]),
  '415': describeRefusal('The content type is not JSON, or the encoding unknown.', [httpError.unsupportedMediaType()]),
  '417': describeRefusal('An Expect other than 100-continue.', [httpError.expectationFailed()]),
  '429': describeRefusal(
    'The source is over its rate, or has used up a quota of the day.',
    [httpError.rateLimited(1_000), httpError.quotaExceeded(3_600_000)],
    { 'Retry-After': retryAfter },
  ),
  '431': describeRefusal('The headers are too large.', [httpError.headersTooLarge()]),
  '503': describeRefusal('The request cannot be taken now.', [httpError.unavailable(5)], { 'Retry-After': retryAfter }),
};
