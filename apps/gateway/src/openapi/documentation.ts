import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { pageHeaders } from '../http/fixed-headers.js';
import { Routes } from '../http/routes.js';
import { openApiDocument } from './document.js';

/** `/openapi.json` and the page `/docs`, made of the routes and DTOs when they are first asked for. */
export function serveDocumentation(app: NestFastifyApplication): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (!route.url.startsWith('/docs')) return;
      route.onRequest = (_request, reply, done) => {
        void reply.headers(pageHeaders);
        done();
      };
    });
  SwaggerModule.setup('docs', app, () => openApiDocument(app.get(Routes).list()), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Sluice API',
  });
}
