import { type GatewayConfig } from '../../config.js';
import { httpError } from '../../errors/api-error.js';
import { shareRate } from '../../workers/shared-rate.js';
import { RateLimit, makeRate } from '../../limits/rate-limit.js';

/** The one client that the rate counts: without a key, clients cannot be distinguished. */
const everybody = '';

/** Limits the rate of all requests without a key together, if a limit is set. */
export class KeylessRate {
  private readonly limit: RateLimit;

  constructor({ KEYLESS_RATE_LIMIT_PER_SECOND: perSecond }: Pick<GatewayConfig, 'KEYLESS_RATE_LIMIT_PER_SECOND'>) {
    const rate = perSecond > 0 ? makeRate(perSecond) : undefined;
    this.limit = new RateLimit(() => rate);
    shareRate('keyless', this.limit);
  }

  /** @throws ApiError 429 when this request is one too many. */
  assert(): void {
    const waitMs = this.limit.take(everybody);
    if (waitMs > 0) throw httpError.rateLimited(waitMs);
  }
}
