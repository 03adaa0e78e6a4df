import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type InputType, zstdDecompress } from 'node:zlib';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { refusal } from '../errors/api-error.js';

type Inflate = (bytes: InputType, options: { maxOutputLength: number }) => Promise<Buffer>;

/** `deflate` is zlib by the standard (RFC 9110), but some clients leave its header out. */
const deflate: Inflate = (bytes, options) =>
  ((bytes as Buffer)[0] ?? 0) % 16 === 8 ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options);

const inflaters: Readonly<Record<string, Inflate>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate,
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** `application/json`, if a charset is named then UTF-8. */
const jsonType = /^application\/json *(?:; *charset="?utf-?8"? *)?;?$/i;

/** Bodies stay bytes, inflated, until the intake reads them, after everything that can be refused without them. */
export function takeBodiesAsBytes(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) =>
    inflated(request, body),
  );
}

/** What can be refused of a body before it is read. */
export function assertReadable({ headers }: FastifyRequest): void {
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (hasBody && !jsonType.test(type ?? '')) throw refusal.unsupportedMediaType();
  if (!isIdentity(encoding) && !Object.hasOwn(inflaters, String(encoding).toLowerCase()))
    throw refusal.unsupportedMediaType();
}

const isIdentity = (encoding: string | undefined): boolean => encoding === undefined || /^(identity)?$/i.test(encoding);

async function inflated({ headers, routeOptions }: FastifyRequest, body: Buffer): Promise<Buffer> {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || isIdentity(encoding)) return body;
  try {
    // The limit holds while inflating: a bomb is refused when it passes it, not when it is whole.
    return (await inflaters[encoding.toLowerCase()]?.(body, { maxOutputLength: routeOptions.bodyLimit })) ?? body;
  } catch (error) {
    throw isTooLarge(error) ? refusal.tooLarge() : refusal.malformed();
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
