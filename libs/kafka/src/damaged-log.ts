import { type Damage, type UndecodableBatch } from './kafkajs/undecodable-batch.js';

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** A batch that keeps a partition from getting on. */
export interface Undecodable {
  readonly code: Damage;
  /** When it was first met, milliseconds since 1970. */
  readonly since: number;
}

/**
 * Remembers the batch of a partition's log that cannot be decoded, and when to fetch it again: bytes may have been damaged
 * on their way, or mended since.
 */
export class DamagedLog {
  private met: (Undecodable & { position: bigint; attempts: number; retryAt: number }) | undefined;

  /** Something was fetched, and `position` comes next: the batch, if that ended it. Returns the pause before the next attempt. */
  fetched(batch: UndecodableBatch | undefined, position: bigint, now = Date.now()): number {
    const before = this.at(position);
    this.met = undefined;
    if (!batch) return 0;
    const attempts = (before?.attempts ?? 0) + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
    this.met = { code: batch.code, since: before?.since ?? now, position, attempts, retryAt: now + pauseMs };
    return pauseMs;
  }

  /** The batch that lies at the position; undefined when the partition got past it. */
  at(position: bigint): (Undecodable & { attempts: number }) | undefined {
    return this.met?.position === position ? this.met : undefined;
  }

  /** It is too early to fetch at the position again. */
  isPausing(position: bigint, now = Date.now()): boolean {
    return this.met?.position === position && now < this.met.retryAt;
  }
}
