import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, type InputType, zstdDecompress } from 'node:zlib';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type ApiError, httpError } from '../errors/api-error.js';
import { type RouteRules } from './accepts.js';
import { BodyReader } from './body-reader.js';
import { hasBody } from './closing.js';
import { pipelined } from './pipelined-request.js';

type Inflate = (bytes: InputType, options: { maxOutputLength: number }) => Promise<Buffer>;

/** `deflate` is zlib by the standard (RFC 9110), but some clients leave its header out. */
const deflate: Inflate = (bytes, options) =>
  ((bytes as Buffer)[0] ?? 0) % 16 === 8 ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options);

const inflaters = new Map<string, Inflate>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', deflate],
  ['br', promisify(brotliDecompress)],
  ['zstd', (bytes, options) => promisify(zstdDecompress)(bytes, { ...zstdOptions, ...options })],
]);

/** `application/json` with any parameters, but if a charset is named then UTF-8. */
const jsonType = /^application\/json\s*(?:;(?!\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$)))[^;]*)*$/i;

// RFC 9659: no sender may ask for more than 8 MiB of window; a tiny body could make us set aside 128.
const zstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/** The part of the edge that a body goes through. */
export interface BodyGate {
  /** Reserves the memory that a body needs from now on; false when there is too little. */
  hold: (request: FastifyRequest, bytes: number, giveUp?: () => void) => boolean;
  /** Counts a request for which there is no memory, and makes its refusal. */
  turnAway: (request: FastifyRequest) => ApiError;
  /** Told of each body that has been read; says when to go on with it, or why not. */
  pass: (request: FastifyRequest, body: Buffer | undefined, go: (refused: ApiError | null) => void) => void;
  /** Told of a body that is not read to its end. */
  leave: (request: FastifyRequest) => void;
}

/** Bodies stay bytes, inflated, until the intake reads them, after everything that can be refused without them. */
export function takeBodiesAsBytes(fastify: FastifyInstance, gate: BodyGate): void {
  fastify.removeAllContentTypeParsers();
  const parse = (
    request: FastifyRequest,
    _: unknown,
    done: (refused: ApiError | null, body?: Buffer) => void,
  ): void => {
    const limit = pipelined(request).rules?.bodyLimit ?? 0;
    const pass = (body: Buffer | undefined): void => {
      gate.pass(request, body, (refused) => {
        done(refused, body);
      });
    };
    const hold = (bytes: number, giveUp?: () => void): boolean => gate.hold(request, bytes, giveUp);
    const turnAway = (): ApiError => gate.turnAway(request);
    new BodyReader(request.raw, { limit, hold, turnAway }, (refused, body) => {
      if (refused) {
        gate.leave(request);
        done(refused);
        return;
      }
      const inflate = inflaterOf(request.headers['content-encoding']);
      if (inflate === undefined || body === undefined) pass(body);
      else if (!hold(body.length + limit)) done(turnAway());
      else inflated(body, inflate, limit).then(pass, done);
    });
  };
  // The common type is found by its name; `assertReadable` has already refused all others that are not JSON.
  for (const type of ['application/json', '*']) fastify.addContentTypeParser(type, parse);
}

/**
 * Refuses a body by its headers. Without a key nothing is inflated, because its size does not bound the cost.
 * @throws ApiError 413, 415
 */
export function assertReadable({ headers, raw }: FastifyRequest, { bodyLimit, credentials }: RouteRules): void {
  if (Number(headers['content-length'] ?? 0) > bodyLimit) throw httpError.tooLarge();
  if (hasBody(raw) && !jsonType.test(headers['content-type'] ?? '')) throw httpError.unsupportedMediaType();
  if (inflaterOf(headers['content-encoding']) && !credentials) throw httpError.unsupportedMediaType();
}

/** Undefined for a body that is sent as it is. @throws ApiError 415 when the encoding is not known. */
function inflaterOf(encoding: string | undefined): Inflate | undefined {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  const inflate = inflaters.get(encoding.toLowerCase());
  if (inflate === undefined && encoding.toLowerCase() === 'identity') return undefined;
  if (inflate === undefined) throw httpError.unsupportedMediaType();
  return inflate;
}

/** The limit holds while inflating: a bomb is refused when it passes it, not when it is whole. */
async function inflated(body: Buffer, inflate: Inflate, limit: number): Promise<Buffer> {
  try {
    return await inflate(body, { maxOutputLength: limit });
  } catch (error) {
    throw isTooLarge(error) ? httpError.tooLarge() : httpError.malformed();
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
