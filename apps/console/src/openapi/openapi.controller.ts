import { Controller } from '@nestjs/common';
import { openApi } from '@sluice/console-api/document';
import { Serves } from '../http/operation.js';

/** Serves the OpenAPI document. */
@Controller()
export class OpenApiController {
  @Serves('GET /api/openapi.json')
  show(): object {
    return openApi;
  }
}
