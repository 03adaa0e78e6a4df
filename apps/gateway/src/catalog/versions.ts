import { Injectable } from '@nestjs/common';

/**
 * Versions of catalog entities. A version is the time in microseconds and always greater than the one before: when
 * messages share a millisecond or the clock is set back, each adds one microsecond until the clock has caught up. A
 * new process starts at the clock. If the previous process was ahead of the clock, its versions win until the clock has
 * caught up. Between gateways, the order is only as exact as their clocks (docs/sync-api.md#which-message-wins).
 */
@Injectable()
export class Versions {
  private last = 0;

  /** Microseconds since 1970; a safe integer until the year 2255. */
  next(now = Date.now()): number {
    this.last = Math.max(this.last + 1, now * 1_000);
    return this.last;
  }
}
