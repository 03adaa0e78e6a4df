import { Controller } from '@nestjs/common';
import { type CanaryState } from '@sluice/console-api';
import { readCanary } from '@sluice/operations';
import { ActingUser, Serves } from '../http/operation.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

/** Shows what became of the probes of all gateways: docs/canary.md. */
@Controller()
export class CanaryController {
  constructor(private readonly tables: Tables) {}

  @Serves('GET /api/canary')
  read(@ActingUser() user: CurrentUser): Promise<CanaryState> {
    return readCanary(this.tables.selectFor(user));
  }
}
