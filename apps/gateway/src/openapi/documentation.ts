import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { Routes } from '../http/routes.js';
import { openApiDocument } from './document.js';

/** `/openapi.json` and the page `/docs`, made of the routes and DTOs when they are first asked for. */
export function serveDocumentation(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app.get(Routes).list()), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Sluice API',
  });
}
