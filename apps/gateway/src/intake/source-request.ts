import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type RowOrigin } from '@sluice/contracts';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { invalidFields } from '../errors/api-error.js';
import { type SourceRules } from '../request/accepts.js';
import { pipelined } from '../request/pipelined-request.js';
import { type ClientFacts, readClientFacts } from './client-facts.js';
import { JsonBody } from './json-body.js';
import { segmentList } from './json-outline.js';
import { nowAsText } from './now-as-text.js';
import { isLenient, type TimeOfSending, timeOfSending } from './prefer.js';

/** The parts of any request that the intake needs. */
export interface IncomingRequest {
  /** UUIDv7, sent back as `X-Request-Id`. */
  id: string;
  /** Arrival at the gateway, ISO 8601 UTC. */
  receivedAt: string;
  /** W3C Trace Context: of the gateway's span if it sends spans, else the client's header if it is valid. */
  traceparent: string | undefined;
  /** The client's name for this request; a retry with the same name is not stored twice. */
  idempotencyKey: string | undefined;
  /** Whether the messages may have been sent before: the client says so, or sends an `Idempotency-Key`. */
  isPossibleRepeat: boolean;
  /** `?validate=only`: the request is answered as usual, but nothing is stored. */
  validateOnly: boolean;
}

/** The parts of an authenticated request that the intake needs. */
export interface SourceRequest extends IncomingRequest {
  sourceIdentifier: string;
  body: JsonBody;
  /** Whether valid items of a batch are taken although others are refused: `Prefer: handling=lenient` (RFC 7240). */
  lenient: boolean;
  /** Time of sending by the header; clients of Segment write it into the body. */
  timeOfSending: TimeOfSending;
  /** Runs more of the work on the request in a later turn, and bounds it in each: others are served in between. */
  turns: {
    readonly turnMs: number;
    continueIn: (run: () => void) => void;
    /** Counts memory that the request needs in addition to its body. @throws ApiError 503 when there is too little. */
    holdMemory?: (bytes: number) => void;
  };
  client: ClientFacts;
}

export const rowOrigin = ({
  id,
  sourceIdentifier,
  receivedAt,
}: Pick<SourceRequest, 'id' | 'sourceIdentifier' | 'receivedAt'>): RowOrigin => ({
  source_id: sourceIdentifier,
  request_id: id,
  received_at: receivedAt,
});

/**
 * Makes the intake's request. The credentials were checked before the body was read.
 * @param countryHeader see `readClientFacts`
 * @throws ApiError 400 when the body is not JSON, or a header or the query is invalid.
 */
export function readSourceRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { batch, isSegment = false }: SourceRules,
  countryHeader: string | undefined,
): SourceRequest {
  const lenient = isSegment || (batch && isLenient(request.headers['prefer']));
  if (lenient && !isSegment) void reply.header('preference-applied', 'handling=lenient');
  const body = new JsonBody(
    request.body as Buffer | undefined,
    isSegment ? { list: segmentList, isLenient: true } : {},
  );
  const { id, receivedAt, traceparent, idempotencyKey, isPossibleRepeat, validateOnly } = readIncomingRequest(request);
  const raw = pipelined(request);
  return {
    id,
    // The edge sets it when the key is found valid.
    sourceIdentifier: raw.source ?? '',
    receivedAt,
    body,
    lenient,
    timeOfSending: isSegment ? {} : timeOfSending(request.headers['prefer']),
    traceparent,
    idempotencyKey,
    isPossibleRepeat: isPossibleRepeat || (isSegment && Number(request.headers['x-retry-count']) > 0),
    validateOnly,
    turns: raw,
    client: readClientFacts(raw.sender, request.headers, countryHeader),
  };
}

/** Gives a controller a request without credentials. */
export const FromAnyone = createParamDecorator((_: unknown, context: ExecutionContext): IncomingRequest =>
  readIncomingRequest(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Gives a controller the JSON body of a request without credentials. */
export const ReadJson = createParamDecorator((_: unknown, context: ExecutionContext): unknown => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  return new JsonBody(body as Buffer | undefined, { maxUnchecked: 0 }).value;
});

/** @throws ApiError 400 when a header or the query is invalid. */
const readIncomingRequest = ({ id, headers, query }: FastifyRequest): IncomingRequest => ({
  id,
  receivedAt: nowAsText(),
  traceparent: readTraceparent(headers['traceparent']),
  idempotencyKey: readIdempotencyKey(headers['idempotency-key']),
  isPossibleRepeat: headers['idempotency-key'] !== undefined,
  validateOnly: isValidateOnly(query),
});

const traceparentPattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const readTraceparent = (value: unknown): string | undefined =>
  typeof value === 'string' && traceparentPattern.test(value) ? value : undefined;

const idempotencyKeyPattern = /^[\x20-\x7e\x80-\xff]{1,255}$/;

function readIdempotencyKey(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && idempotencyKeyPattern.test(value) && value.trim() !== '') return value;
  throw invalidFields([{ field: 'Idempotency-Key', message: 'must be 1 to 255 characters' }]);
}

function isValidateOnly(query: unknown): boolean {
  const { validate } = query as { validate?: unknown };
  if (validate === undefined || validate === 'only') return validate === 'only';
  throw invalidFields([{ field: 'validate', message: 'must be "only", or left out' }]);
}
