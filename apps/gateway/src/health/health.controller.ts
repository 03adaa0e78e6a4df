import { Controller, Get } from '@nestjs/common';
import { Health } from '@sluice/service';
import { httpError } from '../errors/api-error.js';

/** Load balancers ask again by their own clock. */
const retryAfterSeconds = 5;

/** What a load balancer asks of the port that clients use; the details are on the management port. */
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
