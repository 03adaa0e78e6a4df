import { canarySource } from '@sluice/contracts';
import { type Source, type SourceLimits as Limits } from '@sluice/sources';
import { type ApiError, httpError } from '../errors/api-error.js';
import { type Quota, type QuotaCounts } from './quotas.js';
import { type RequestRate, RateLimit, makeRate } from './rate-limit.js';
import { type UsageBook } from './usage-book.js';
import { type UtcDay } from './utc-day.js';

/** Applies the rate and the daily quotas of each source; a source without a rate has the gateway's. */
export class SourceLimiter {
  readonly rate: RateLimit;
  private readonly fallback: RequestRate | undefined;

  /** @param perSecond the gateway's own rate; 0 means none */
  constructor(
    perSecond: number,
    private readonly find: (source: string) => Source | undefined,
    private readonly usage: UsageBook,
    private readonly today: UtcDay,
  ) {
    this.fallback = perSecond > 0 ? makeRate(perSecond) : undefined;
    this.rate = new RateLimit((source) => this.rateFor(source));
  }

  /** Whether the source has a rate or a quota, so that other gateways must know its counts. */
  isLimited(source: string): boolean {
    if (source === canarySource) return false;
    return this.rateFor(source) !== undefined || hasQuota(this.findLimits(source));
  }

  /**
   * Counts a request of the source.
   * @param quotas that can count its messages
   * @throws ApiError 429 when it exceeds the rate, or all these quotas are used up.
   */
  assert({ sourceIdentifier, limits }: Source, quotas: readonly Quota[]): void {
    if (quotas.every((quota) => this.isUsedUp(sourceIdentifier, limits, quota))) throw this.quotaExceeded();
    const waitMs = this.rate.take(sourceIdentifier);
    if (waitMs > 0) throw httpError.rateLimited(waitMs);
    if (this.rateFor(sourceIdentifier)) this.usage.countRequest(sourceIdentifier);
  }

  /**
   * Reserves messages of the daily quotas until they are durable, or given back. The last request may exceed a quota.
   * If one of two quotas is used up, only the messages of the other are reserved.
   * @returns the only quota that has room; undefined when all messages are reserved
   * @throws ApiError 429 when no quota of the messages has room
   */
  reserve(source: string, messages: QuotaCounts): Quota | undefined {
    const { events, people } = messages;
    const limits = this.findLimits(source);
    // A request without counted messages stores refused ones, as long as the source may send events.
    const areEventsRefused = (events > 0 || people === 0) && this.isUsedUp(source, limits, 'events');
    const arePeopleRefused = people > 0 && this.isUsedUp(source, limits, 'people');
    const [hasEvents, hasPeople] = [events > 0 && !areEventsRefused, people > 0 && !arePeopleRefused];
    if ((areEventsRefused || arePeopleRefused) && !hasEvents && !hasPeople) throw this.quotaExceeded();
    this.usage.reserve(source, { events: hasEvents ? events : 0, people: hasPeople ? people : 0 });
    if (areEventsRefused) return 'people';
    return arePeopleRefused ? 'events' : undefined;
  }

  /** The refusal of messages whose quota is used up. */
  quotaExceeded(): ApiError {
    return httpError.quotaExceeded(this.today.remainingMs);
  }

  /** Gives back messages that are not durable. */
  giveBack(source: string, messages: QuotaCounts): void {
    this.usage.giveBack(source, messages);
  }

  /** Counts reserved messages that are durable. */
  countDurable(source: string, messages: QuotaCounts): void {
    this.usage.countDurable(source, messages);
  }

  private isUsedUp(source: string, limits: Limits | undefined, quota: Quota): boolean {
    if (!limits) return false;
    const { dailyQuota, dailyPeopleQuota = dailyQuota } = limits;
    const max = quota === 'people' ? dailyPeopleQuota : dailyQuota;
    return max !== undefined && this.usage.messagesToday(source, quota) >= max;
  }

  private rateFor(source: string): RequestRate | undefined {
    const { ratePerSecond, burst } = this.findLimits(source) ?? {};
    if (ratePerSecond === undefined) {
      return this.fallback && burst !== undefined ? { ...this.fallback, burst } : this.fallback;
    }
    return ratePerSecond === 0 ? undefined : makeRate(ratePerSecond, burst);
  }

  private findLimits(source: string): Limits | undefined {
    return this.find(source)?.limits;
  }
}

const hasQuota = ({ dailyQuota, dailyPeopleQuota }: Limits = {}): boolean =>
  dailyQuota !== undefined || dailyPeopleQuota !== undefined;
