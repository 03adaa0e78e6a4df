import { Controller, Get } from '@nestjs/common';
import { Health } from '@sluice/service';
import { httpError } from '../errors/api-error.js';

/** Retry-After of an unready gateway; load balancers check at their own interval anyway. */
const retryAfterSeconds = 5;

/** Health check for load balancers, on the port that clients use; the management port gives the details. */
@Controller('health')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('ready')
  async ready(): Promise<{ status: 'ok' }> {
    for (const check of this.health.ready.values()) {
      try {
        await check();
      } catch {
        throw httpError.unavailable(retryAfterSeconds);
      }
    }
    return { status: 'ok' };
  }
}
