import { type ServerResponse } from 'node:http';
import { type GatewayConfig } from '../config.js';
import { refusal } from '../errors/api-error.js';
import { shareRate } from '../workers/shared-rate.js';
import { type Load } from './load.js';
import { RateLimit, rateOf } from './rate-limit.js';

type Limits = Pick<GatewayConfig, 'KEYLESS_MAX_REQUESTS_IN_WORK' | 'KEYLESS_RATE_LIMIT_PER_SECOND'>;

/** Whom the rate is counted for: without a key nobody can be told from another. */
const everybody = '';

/**
 * Budget that all routes without a key share, so that the rest is always left to the Tracking and Sync APIs: places,
 * which also bound how long other requests wait behind them, and a rate if one is set
 * (docs/decisions/0022-keyless-budget.md).
 */
export class KeylessBudget {
  private readonly rateLimit: RateLimit;
  private readonly mostInWork: number;
  private inWork = 0;

  constructor(
    limits: Limits,
    private readonly load: Load,
  ) {
    const perSecond = limits.KEYLESS_RATE_LIMIT_PER_SECOND;
    const rate = perSecond > 0 ? rateOf(perSecond) : undefined;
    this.rateLimit = new RateLimit(() => rate);
    shareRate('keyless', this.rateLimit);
    this.mostInWork = limits.KEYLESS_MAX_REQUESTS_IN_WORK;
  }

  /** @throws ApiError 503 or 429 when this request is one too many. */
  assertRoom(): void {
    this.assertPlace();
    const waitMs = this.rateLimit.take(everybody);
    if (waitMs > 0) throw refusal.rateLimited(waitMs);
  }

  /** Takes a place until the answer is sent or the client has broken off. @throws ApiError 503 */
  takePlace(answer: ServerResponse): void {
    this.assertPlace();
    this.inWork += 1;
    answer.once('close', this.end);
  }

  private assertPlace(): void {
    if (this.inWork >= this.mostInWork) throw refusal.unavailable(this.load.retryAfterSeconds());
  }

  private readonly end = (): void => {
    this.inWork -= 1;
  };
}
