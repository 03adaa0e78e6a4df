import { type OpenAPIObject } from '@nestjs/swagger';
import { type ApiError, httpError } from '../errors/api-error.js';
import { toSegmentError } from '../errors/for-segment.js';
import { type SourceRules } from '../request/accepts.js';
import { segmentList } from '../intake/json-outline.js';
import { validateParameter, writeKeyParameter } from './parameters.js';
import { requestId, retryAfter } from './responses.js';
import { problems, reference, type ApiSchema } from './schemas.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;

interface SegmentRoute {
  path: string;
  rules: SourceRules;
}

/** Paths that are documented; the others are short names and spellings of them (docs/segment.md#paths). */
const documented = /^\/(?:v1|s\/:writeKey\/v1)\/(batch|import|track|identify|page|screen|group|alias)$/;

/** Whether the route is one of those that are documented for clients of Segment. */
export const isDocumentedForSegment = ({ path }: { path: string }): boolean => documented.test(path);

export const segmentSchemas: Record<string, ApiSchema> = {
  SegmentCall: {
    type: 'object',
    description:
      'A call of a client of Segment or RudderStack: docs/segment.md. One that is not valid is kept whole, with its reason.',
    properties: {
      type: { type: 'string', enum: ['track', 'page', 'screen', 'group', 'identify', 'alias'] },
      messageId: { type: 'string', maxLength: 256, description: 'The same in each try; the message is stored once.' },
      userId: { type: 'string' },
      anonymousId: { type: 'string' },
      event: { type: 'string' },
      properties: { type: 'object' },
      traits: { type: 'object' },
      context: { type: 'object' },
      timestamp: { type: 'string' },
    },
  },
  SegmentBatch: {
    type: 'object',
    required: ['batch'],
    properties: {
      batch: { type: 'array', maxItems: segmentList.maxItems, items: reference('SegmentCall') },
      context: { type: 'object', description: 'Added to the context of each call.' },
      sentAt: { type: 'string' },
    },
  },
  SegmentTaken: {
    type: 'object',
    required: ['success'],
    properties: { success: { type: 'boolean' }, dropped: problems, rejected: problems, violations: problems },
  },
  SegmentError: {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { type: 'string' }, message: { type: 'string' } },
  },
};

const describeFailure = (description: string, error: ApiError, headers: object = {}) => ({
  description,
  headers: { 'X-Request-Id': requestId, ...headers },
  content: { 'application/json': { schema: reference('SegmentError'), example: toSegmentError(error).body } },
});

const responses = {
  '200': {
    description: 'The valid calls are durable; the others are kept and named in `rejected`.',
    headers: { 'X-Request-Id': requestId },
    content: { 'application/json': { schema: reference('SegmentTaken'), example: { success: true } } },
  },
  '400': describeFailure('The body is not JSON, or not a batch.', httpError.malformed()),
  '401': describeFailure('The write key is missing, or its key is not the source’s.', httpError.authorizationFailed()),
  '403': describeFailure('The source does not take clients of Segment, or not this page.', httpError.sourceForbidden()),
  '404': describeFailure('The source is unknown or disabled.', httpError.sourceNotFound()),
  '405': describeFailure('The path takes POST only.', httpError.methodNotAllowed(['POST'])),
  '408': describeFailure('The request took too long to arrive.', httpError.timedOut()),
  '413': describeFailure('The body is too large.', httpError.tooLarge()),
  '415': describeFailure('The encoding is unknown.', httpError.unsupportedMediaType()),
  '417': describeFailure('An Expect other than 100-continue.', httpError.expectationFailed()),
  '429': describeFailure(
    'The source is over a limit, or the request cannot be taken now.',
    httpError.rateLimited(1_000),
    {
      'Retry-After': retryAfter,
    },
  ),
  '431': describeFailure('The headers are too large.', httpError.headersTooLarge()),
};

export function segmentOperation({ path, rules: { batch, bodyLimit } }: SegmentRoute): Operation {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isInPath = path.includes(':writeKey');
  return {
    operationId: `segment_${name}${isInPath ? '_key_in_path' : ''}`,
    tags: ['Segment'],
    summary: batch ? 'Takes calls of clients of Segment' : `Takes one call of a client of Segment: ${name}`,
    security: isInPath ? [] : [{ writeKey: [] }],
    parameters: [...(isInPath ? [writeKeyParameter] : []), validateParameter],
    requestBody: {
      required: true,
      description: `At most ${bodyLimit.toLocaleString('en')} bytes, also when inflated. Any Content-Type is read as JSON.`,
      content: { 'application/json': { schema: reference(batch ? 'SegmentBatch' : 'SegmentCall') } },
    },
    responses,
  };
}
