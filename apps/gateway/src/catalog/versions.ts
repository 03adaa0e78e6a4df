import { Injectable } from '@nestjs/common';

/**
 * Versions of catalog entities: the time in microseconds, and always more than the version before, also when messages
 * share a millisecond or the clock is set back: then one microsecond more each, until the clock has caught up. A new
 * process begins at the clock: if the one before was ahead of it, older versions win until the clock has caught up.
 * Between gateways the order is as good as their clocks (docs/sync-api.md#which-message-wins).
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
