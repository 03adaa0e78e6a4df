import { Controller } from '@nestjs/common';
import { Serves } from '../http/operation.js';
import document from './document.json' with { type: 'json' };

/** Answers how the API is asked. `npm run docs:variables` writes the document from the types of `libs/console-api`. */
@Controller()
export class OpenApiController {
  @Serves('GET /api/openapi.json')
  show(): object {
    return document;
  }
}
