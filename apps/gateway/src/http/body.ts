import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, type InputType, zstdDecompress } from 'node:zlib';
import { type FastifyBodyParser, type FastifyInstance, type FastifyRequest } from 'fastify';
import { type ApiError, refusal } from '../errors/api-error.js';

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

/** Is told of each body that has been read, and says when to go on with it, or why not. */
export type OnBody = (request: FastifyRequest, body: Buffer, go: (refusal?: ApiError) => void) => void;

/** Bodies stay bytes, inflated, until the intake reads them, after everything that can be refused without them. */
export function takeBodiesAsBytes(fastify: FastifyInstance, onBody: OnBody): void {
  fastify.removeAllContentTypeParsers();
  const parse: FastifyBodyParser<Buffer> = (request, body, done) => {
    const { headers } = request;
    const take = (bytes: Buffer): void => {
      onBody(request, bytes, (refused) => {
        done(refused ?? null, bytes);
      });
    };
    const inflate = inflaterOf(headers['content-encoding']);
    if (inflate === undefined) take(body);
    else inflated(body, inflate, request.routeOptions.bodyLimit).then(take, done);
  };
  // By its very name the common type is found at once; what any other type means was decided before.
  for (const type of ['application/json', '*']) fastify.addContentTypeParser(type, { parseAs: 'buffer' }, parse);
}

/**
 * What can be refused of a body before it is read.
 * @throws ApiError 413, 415
 */
export function assertReadable({ headers }: FastifyRequest, bodyLimit: number): void {
  const length = Number(headers['content-length'] ?? 0);
  if (length > bodyLimit) throw refusal.tooLarge();
  const hasBody = headers['transfer-encoding'] !== undefined || length > 0;
  if (hasBody && !jsonType.test(headers['content-type'] ?? '')) throw refusal.unsupportedMediaType();
  inflaterOf(headers['content-encoding']);
}

/** Undefined for a body that is sent as it is. @throws ApiError 415 when the encoding is not known. */
function inflaterOf(encoding: string | undefined): Inflate | undefined {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  const inflate = inflaters.get(encoding.toLowerCase());
  if (inflate === undefined && encoding.toLowerCase() === 'identity') return undefined;
  if (inflate === undefined) throw refusal.unsupportedMediaType();
  return inflate;
}

/** The limit holds while inflating: a bomb is refused when it passes it, not when it is whole. */
async function inflated(body: Buffer, inflate: Inflate, limit: number): Promise<Buffer> {
  try {
    return await inflate(body, { maxOutputLength: limit });
  } catch (error) {
    throw isTooLarge(error) ? refusal.tooLarge() : refusal.malformed();
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
