import { type INestApplicationContext } from '@nestjs/common';
import { type FastifyInstance, type RouteShorthandOptions } from 'fastify';
import { httpError } from '../errors/api-error.js';
import { closeWhenRead, readSeconds } from '../http/reading/closing.js';
import { pageHeaders } from '../http/answering/fixed-headers.js';
import { pipelined } from '../request/pipelined-request.js';
import { ReadingPlaces } from '../http/reading/reading-places.js';
import { Routes } from '../http/routes.js';
import { openApiDocument } from './document.js';
import { pageFiles, type StaticDocument } from './page.js';

/** Upper bound of connections that receive a document: anybody may request one and leave its megabytes unread. */
const maxConnections = 32;
/** Headers for files of the page: browsers may cache them for an hour. */
const fileHeaders = { 'cache-control': 'public, max-age=3600' };

/**
 * Serves `/openapi.json`, made from the routes and DTOs at the first request, and the page `/docs`. All answers share
 * one buffer per document.
 */
export function serveDocumentation(app: INestApplicationContext, fastify: FastifyInstance): void {
  // A place is never taken from its connection: the reset after the time to read frees it.
  const places = new ReadingPlaces(maxConnections, Infinity);
  const whenThereIsRoom: RouteShorthandOptions = {
    onRequest: (request, _reply, done) => {
      if (!places.take(request.raw.socket)) {
        done(httpError.unavailable(readSeconds));
        return;
      }
      closeWhenRead(pipelined(request));
      done();
    },
  };
  const serve = (path: string, make: () => StaticDocument, headers: Record<string, string>): void => {
    let document: StaticDocument | undefined;
    fastify.get(path, whenThereIsRoom, (_request, reply) => {
      document ??= make();
      return reply.headers(headers).type(document.type).send(document.bytes);
    });
  };
  const openApi = (): StaticDocument => ({
    type: 'application/json; charset=utf-8',
    bytes: Buffer.from(JSON.stringify(openApiDocument(app.get(Routes).list()))),
  });
  serve('/openapi.json', openApi, {});
  for (const [path, make] of Object.entries(pageFiles))
    serve(path, make, path.includes('.') ? { ...pageHeaders, ...fileHeaders } : pageHeaders);
}
