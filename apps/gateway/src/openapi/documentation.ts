import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { refusal } from '../errors/api-error.js';
import { pageHeaders } from '../http/fixed-headers.js';
import { Routes } from '../http/routes.js';
import { openApiDocument } from './document.js';

/** Answers of the documentation at a time: they are long, and anybody may leave them unread. */
const mostAnswers = 32;

/** `/openapi.json` and the page `/docs`, made of the routes and DTOs when they are first asked for. */
export function serveDocumentation(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  let answers = 0;
  const takePlace = ({ raw }: FastifyReply): boolean => {
    if (answers >= mostAnswers) return false;
    answers += 1;
    raw.once('close', () => (answers -= 1));
    return true;
  };
  fastify.addHook('onRoute', (route) => {
    const isPage = route.url.startsWith('/docs');
    if (!isPage && route.url !== '/openapi.json') return;
    route.onRequest = (_request, reply, done) => {
      if (isPage) void reply.headers(pageHeaders);
      if (takePlace(reply)) done();
      else done(refusal.unavailable(1));
    };
  });
  const document = () => openApiDocument(app.get(Routes).list());
  let bytes: Buffer | undefined;
  fastify.get('/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send((bytes ??= Buffer.from(JSON.stringify(document())))),
  );
  SwaggerModule.setup('docs', app, document, { raw: false, customSiteTitle: 'Sluice API' });
}
