import { Injectable } from '@nestjs/common';

/**
 * Time by which a sender's clock, or another gateway's, may be ahead of this process: docs/sync-api.md#which-message-wins.
 * Beyond it arrival decides, so that a clock in the future freezes no entity.
 */
const maxAheadMs = 5_000;

/**
 * Versions of catalog entities, in microseconds since 1970: the time that the sender gives, or that of arrival, which is
 * always greater than the one before. When messages share a millisecond or the clock is set back, each adds one
 * microsecond until the clock has caught up. A new process starts at the clock. If the previous process was ahead of the
 * clock, its versions win until the clock has caught up. Between gateways, the order of arrivals is only as exact as their
 * clocks (docs/sync-api.md#which-message-wins).
 */
@Injectable()
export class Versions {
  private last = 0;

  /**
   * A safe integer until the year 2255.
   * @param updatedAt the sender's time, milliseconds since 1970; undefined if it gives none
   */
  next(updatedAt?: number, now = Date.now()): number {
    this.last = Math.max(this.last + 1, now * 1_000);
    return updatedAt === undefined ? this.last : Math.min(updatedAt * 1_000, this.last + maxAheadMs * 1_000);
  }
}
