import { type Source, type SourceLimits as Limits } from '@sluice/sources';
import { httpError } from '../errors/api-error.js';
import { type Rate, RateLimit, rateOf } from './rate-limit.js';
import { type UsageBook } from './usage-book.js';
import { type UtcDay } from './utc-day.js';

/** Applies the rate and the daily quota of each source; a source without a rate has the gateway's. */
export class SourceLimiter {
  readonly rate: RateLimit;
  private readonly fallback: Rate | undefined;

  /** @param perSecond the gateway's own rate; 0 means none */
  constructor(
    perSecond: number,
    private readonly find: (source: string) => Source | undefined,
    private readonly usage: UsageBook,
    private readonly today: UtcDay,
  ) {
    this.fallback = perSecond > 0 ? rateOf(perSecond) : undefined;
    this.rate = new RateLimit((source) => this.rateFor(source));
  }

  /** Whether the source has a rate or a quota, so that other gateways must know its counts. */
  isLimited(source: string): boolean {
    return this.rateFor(source) !== undefined || this.limitsOf(source)?.dailyQuota !== undefined;
  }

  /** Counts a request of the source. @throws ApiError 429 when it exceeds the rate, or the daily quota is used up. */
  assert({ sourceIdentifier, limits }: Source): void {
    if (limits?.dailyQuota !== undefined) this.assertQuota(sourceIdentifier, limits.dailyQuota);
    const waitMs = this.rate.take(sourceIdentifier);
    if (waitMs > 0) throw httpError.rateLimited(waitMs);
    if (this.rateFor(sourceIdentifier)) this.usage.requestTaken(sourceIdentifier);
  }

  /**
   * Reserves messages of the daily quota until they are durable, or given back. The last request may exceed the quota.
   * @throws ApiError 429 when the quota is used up
   */
  reserve(source: string, messages: number): void {
    const quota = this.limitsOf(source)?.dailyQuota;
    if (quota !== undefined) this.assertQuota(source, quota);
    this.usage.reserve(source, messages);
  }

  /** Gives back messages that are not durable. */
  giveBack(source: string, messages: number): void {
    this.usage.giveBack(source, messages);
  }

  /** Counts reserved messages that are durable. */
  messagesTaken(source: string, messages: number): void {
    this.usage.messagesTaken(source, messages);
  }

  private assertQuota(source: string, quota: number): void {
    if (this.usage.messagesToday(source) >= quota) throw httpError.quotaExceeded(this.today.remainingMs);
  }

  private rateFor(source: string): Rate | undefined {
    const { ratePerSecond, burst } = this.limitsOf(source) ?? {};
    if (ratePerSecond === undefined) {
      return this.fallback && burst !== undefined ? { ...this.fallback, burst } : this.fallback;
    }
    return ratePerSecond === 0 ? undefined : rateOf(ratePerSecond, burst);
  }

  private limitsOf(source: string): Limits | undefined {
    return this.find(source)?.limits;
  }
}
