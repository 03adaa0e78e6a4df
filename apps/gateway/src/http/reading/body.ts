import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, type InputType, zstdDecompress } from 'node:zlib';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type ApiError, httpError } from '../../errors/api-error.js';
import { type RouteRules } from '../../request/accepts.js';
import { BodyReader } from './body-reader.js';
import { hasBody } from './closing.js';
import { pipelined } from '../../request/pipelined-request.js';

type Inflate = (bytes: InputType, options: { maxOutputLength: number }) => Promise<Buffer>;

/** `deflate` means zlib (RFC 9110), but some clients leave out the zlib header. */
const deflate: Inflate = (bytes, options) =>
  ((bytes as Buffer)[0] ?? 0) % 16 === 8 ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options);

const inflaters = new Map<string, Inflate>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', deflate],
  ['br', promisify(brotliDecompress)],
  ['zstd', (bytes, options) => promisify(zstdDecompress)(bytes, { ...zstdOptions, ...options })],
]);

/** Matches `application/json` with any parameters; a charset must be UTF-8. */
const jsonType = /^application\/json\s*(?:;(?!\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$)))[^;]*)*$/i;

// RFC 9659 limits the window to 8 MiB; without the limit a tiny body could make the gateway allocate 128 MiB.
const zstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/** The edge's decisions about a body. */
export interface BodyGate {
  /** Reserves the memory that a body needs from now on; false when there is too little. */
  holdMemory: (request: FastifyRequest, bytes: number, giveUp?: () => void) => boolean;
  /** Counts a request that finds no memory, and returns its error. */
  rejectForMemory: (request: FastifyRequest) => ApiError;
  /** Called with the error of a body; calls `go` when the error may be answered. */
  answerRefusal: (request: FastifyRequest, refused: ApiError, go: (refused: ApiError) => void) => void;
  /** Called with each body that has been read; calls `go` when work on it may begin, or with an error. */
  admitBody: (request: FastifyRequest, body: Buffer | undefined, go: (refused: ApiError | null) => void) => void;
  /** Called for a body that is not read to its end. */
  leaveUnread: (request: FastifyRequest) => void;
}

/** Makes Fastify hand over bodies as inflated bytes. The intake parses them after every check that needs no body. */
export function takeBodiesAsBytes(fastify: FastifyInstance, gate: BodyGate): void {
  fastify.removeAllContentTypeParsers();
  const parse = (
    request: FastifyRequest,
    _: unknown,
    done: (refused: ApiError | null, body?: Buffer) => void,
  ): void => {
    const limit = pipelined(request).rules?.bodyLimit ?? 0;
    const pass = (body: Buffer | undefined): void => gate.admitBody(request, body, (refused) => done(refused, body));
    const hold = (bytes: number, giveUp?: () => void): boolean => gate.holdMemory(request, bytes, giveUp);
    const reject = (): ApiError => gate.rejectForMemory(request);
    const refuse = (refused: ApiError): void => gate.answerRefusal(request, refused, done);
    new BodyReader(request.raw, { limit, holdMemory: hold, rejectForMemory: reject }, (refused, body) => {
      if (refused) {
        gate.leaveUnread(request);
        refuse(refused);
        return;
      }
      const inflate = findInflater(request.headers['content-encoding']);
      if (inflate === undefined || body === undefined) pass(body);
      else if (!hold(body.length + limit)) refuse(reject());
      else
        inflateBody(body, { inflate, encoding: request.headers['content-encoding'] ?? '' }, limit).then(pass, refuse);
    });
  };
  // Fastify finds the common type fast, by its name; `assertReadable` has refused the types that a route does not take.
  for (const type of ['application/json', '*']) fastify.addContentTypeParser(type, parse);
}

/**
 * Refuses a body by its headers. Compressed bodies need a key: their size does not bound the cost of inflating them.
 * @throws ApiError 413, 415
 */
export function assertReadable({ headers, raw }: FastifyRequest, rules: RouteRules): void {
  const { bodyLimit, credentials } = rules;
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > bodyLimit) throw httpError.tooLarge(bodyLimit, declared);
  if (hasBody(raw) && !takesAnyType(rules) && !jsonType.test(headers['content-type'] ?? ''))
    throw httpError.unsupportedMediaType();
  if (findInflater(headers['content-encoding']) && !credentials) throw httpError.unsupportedMediaType();
}

/** Clients of Segment send JSON as `text/plain`, which needs no preflight, or as a form. */
const takesAnyType = (rules: RouteRules): boolean => rules.credentials && rules.isSegment === true;

/** Returns undefined for a body without compression. @throws ApiError 415 when the encoding is not known. */
function findInflater(encoding: string | undefined): Inflate | undefined {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  const inflate = inflaters.get(encoding.toLowerCase());
  if (inflate === undefined && encoding.toLowerCase() === 'identity') return undefined;
  if (inflate === undefined) throw httpError.unsupportedMediaType();
  return inflate;
}

/** Inflates a body up to the limit: a bomb is refused as soon as it exceeds the limit. */
async function inflateBody(
  body: Buffer,
  { inflate, encoding }: { inflate: Inflate; encoding: string },
  limit: number,
): Promise<Buffer> {
  try {
    return await inflate(body, { maxOutputLength: limit });
  } catch (error) {
    if (isTooLarge(error)) throw httpError.tooLarge(limit);
    const name = encoding.toLowerCase();
    throw httpError.malformed(
      isPlain(body) ? `Content-Encoding is ${name}, but the body is not compressed` : `not ${name}, or cut off`,
    );
  }
}

/** Whether a body begins like JSON. */
const isPlain = (body: Buffer): boolean => /^\s*[[{"]/.test(body.toString('latin1', 0, 64));

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
