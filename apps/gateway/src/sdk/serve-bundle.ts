import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { httpError } from '../errors/api-error.js';
import { closeWhenRead } from '../http/reading/closing.js';
import { pipelined } from '../request/pipelined-request.js';
import { ReadingPlaces } from '../http/reading/reading-places.js';
import { acceptsEncoding } from './accept-encoding.js';
import { type Bundle, type BundleFile, type Encoding } from './bundle.js';

/** Connections of a worker that may have a file unread. */
const maxConnections = 1_024;
/** Time for which each of them may keep its place when others wait for one. */
const safeSeconds = 5;
const preferred: readonly Encoding[] = ['br', 'gzip'];

const forever = 'public, max-age=31536000, immutable';
/** A new release reaches pages within minutes; while the gateway is down, a page goes on with its copy. */
const shortly = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800';

const scriptHeaders = {
  // A service worker has the policy of its script, and `default-src 'none'` would forbid the worker's requests.
  'content-security-policy': 'default-src * data:',
  // A worker may be registered for the whole site whose proxy passes /sdk/ on.
  'service-worker-allowed': '/',
};

/**
 * Serves the files of the Web SDK under `/sdk/`: docs/api.md#the-web-sdk. All answers share the bytes in memory. A
 * connection ends after its file, and is reset if the client does not read the file.
 */
export function serveBundle(bundle: Bundle | undefined, fastify: FastifyInstance): void {
  const places = new ReadingPlaces(maxConnections, safeSeconds * 1_000);
  const find = (path: string): Served => {
    if (bundle === undefined) throw httpError.sdkNotBuilt();
    const served = findServed(bundle, path);
    if (served === undefined) throw httpError.notFound();
    return served;
  };
  const answer = (path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { file, ...headers } = find(path);
    const encoding = preferred.find(
      (candidate) => file.encoded.has(candidate) && acceptsEncoding(request.headers['accept-encoding'], candidate),
    );
    const { bytes, etag } = (encoding && file.encoded.get(encoding)) ?? file.plain;
    const isUnchanged = isKnown(request.headers['if-none-match'], etag);
    const isWhole = request.method === 'GET' && !isUnchanged;
    // A short answer needs no place, and its connection may carry others.
    if (isWhole && !places.take(request.raw.socket)) throw httpError.unavailable(safeSeconds);
    void reply.headers({ ...headers, vary: 'Accept-Encoding', etag });
    if (isUnchanged) return reply.code(304).send();
    if (encoding) void reply.header('content-encoding', encoding);
    if (isWhole) closeWhenRead(pipelined(request));
    return reply.send(bytes);
  };
  for (const method of ['GET', 'HEAD'] as const) {
    fastify.route<{ Params: { file: string } }>({
      method,
      url: '/sdk/:file',
      handler: (request, reply) => answer(request.params.file, request, reply),
    });
    fastify.route<{ Params: { major: string; file: string } }>({
      method,
      url: '/sdk/:major/:file',
      handler: (request, reply) => answer(`${request.params.major}/${request.params.file}`, request, reply),
    });
  }
}

interface Served {
  file: BundleFile;
  'content-type': string;
  'cache-control': string;
}

function findServed({ manifest, files, current }: Bundle, path: string): Served | undefined {
  if (path === 'manifest.json') {
    return { file: manifest, 'content-type': 'application/json; charset=utf-8', 'cache-control': shortly };
  }
  const [hashedFile, currentFile] = [files.get(path), current.get(path)];
  const file = hashedFile ?? currentFile;
  if (file === undefined) return undefined;
  const cacheHeaders = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': hashedFile ? forever : shortly,
  };
  return { file, ...cacheHeaders, ...scriptHeaders };
}

/** Whether the browser has these bytes already; a proxy may have weakened the tag. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
