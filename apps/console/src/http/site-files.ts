import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};
const compressed = new Set(['.html', '.js', '.css', '.svg', '.json']);
const year = 'public, max-age=31536000, immutable';

/** Route of the site, whose files are public. */
export const sitePath = '/*';

interface SiteFile {
  type: string;
  isFixed: boolean;
  plain: Buffer;
  gzip?: Buffer;
  brotli?: Buffer;
}

/** Serves the built site from memory: its files, and its page for other paths than those of the API and assets. */
export async function serveSite(folder: string, fastify: FastifyInstance): Promise<void> {
  const files = existsSync(folder) ? await readSite(folder) : new Map<string, SiteFile>();
  const page = files.get('/index.html');
  const serve = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.url.split('?', 1).join();
    const file = files.get(path);
    if (file) return send(file, request, reply);
    if (path.startsWith('/api/') || path.startsWith('/assets/')) return missing(reply);
    return page ? send(page, request, reply) : notBuilt(reply);
  };
  // Health checks ask with HEAD; Node leaves the body out.
  fastify.route({ method: ['GET', 'HEAD'], url: sitePath, handler: serve });
}

async function readSite(folder: string): Promise<Map<string, SiteFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`)
    // Hidden files and folders are the build's own, such as its manifest.
    .filter((path) => !path.includes('/.'));
  const read = await Promise.all(
    paths.map(async (path) => [path, siteFile(path, await readFile(join(folder, path)))] as const),
  );
  return new Map(read);
}

function siteFile(path: string, plain: Buffer): SiteFile {
  const extension = extname(path);
  const file = {
    type: types[extension] ?? 'application/octet-stream',
    isFixed: path.startsWith('/assets/'),
    plain,
  };
  return compressed.has(extension) ? { ...file, gzip: gzipSync(plain), brotli: brotliCompressSync(plain) } : file;
}

function send(file: SiteFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? '';
  void reply.header('content-type', file.type).header('cache-control', file.isFixed ? year : 'no-cache');
  void reply.header('vary', 'accept-encoding');
  if (file.brotli && /\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli);
  if (file.gzip && /\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip);
  return reply.send(file.plain);
}

const missing = (reply: FastifyReply): FastifyReply =>
  reply.code(404).send({ code: 'not-found', message: 'Page not found.' });

const notBuilt = (reply: FastifyReply): FastifyReply =>
  reply.code(404).send({ code: 'not-built', message: 'The pages of the console are not built: npm run build' });
