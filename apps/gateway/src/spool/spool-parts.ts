import { Logger } from '@nestjs/common';
import { BoundedLabel } from '@sluice/service';
import { type Holder } from './holder.js';
import { Holdings } from './holdings.js';
import { type SpoolState } from './spool-folder.js';

/** Part of the spool that may be held by all before the part of each holder is bounded. */
const freelyHeldPart = 1 / 2;
/** Part of the free space that a holder may have beyond that: a quarter of the spool at first. */
const partOfFree = 1 / 2;
/** Upper bound of holders with a count of their own; later ones share one count. */
const maxHolders = 2_000;
const warnEveryMs = 60_000;

/**
 * Shares the disk among sources. Over half full, a source may hold half of what is free: a quarter of the spool at first,
 * and less as it fills. Greedy sources, however many, leave free what two of them hold, and a source that holds little
 * gets in (docs/decisions/0080-spool-parts.md).
 */
export class SpoolParts {
  private readonly logger = new Logger(SpoolParts.name);
  /** Messages on the disk and on their way there. */
  readonly held = new Holdings();
  /** Refused requests by holder. */
  readonly refused = new Map<Holder, number>();
  private readonly labels = new BoundedLabel(maxHolders);
  private warnedAt = -warnEveryMs;

  /**
   * Whether one of the holders would exceed its part with what it adds; it is then counted.
   * @param waitingBytes on their way to the disk
   */
  areExceededBy(
    addedBytes: ReadonlyMap<Holder, number>,
    { bytes, roomBytes }: SpoolState,
    waitingBytes: number,
  ): boolean {
    const allBytes = [...addedBytes.values()].reduce((sum, extra) => sum + extra, 0);
    const free = roomBytes - waitingBytes;
    if (bytes + waitingBytes + allBytes <= (bytes + roomBytes) * freelyHeldPart) return false;
    for (const [holder, extra] of addedBytes) {
      const heldBytes = this.held.heldBy(holder);
      if (heldBytes + extra <= free * partOfFree) continue;
      this.refuse(holder, { heldBytes, freeBytes: free });
      return true;
    }
    return false;
  }

  private refuse(holder: Holder, amounts: { heldBytes: number; freeBytes: number }): void {
    const label = this.labels.labelFor(holder === '' ? 'none' : holder);
    this.refused.set(label, (this.refused.get(label) ?? 0) + 1);
    if (performance.now() - this.warnedAt < warnEveryMs) return;
    this.warnedAt = performance.now();
    this.logger.warn({
      msg: 'a source holds its part of the spool: its requests are refused',
      source: holder,
      ...amounts,
    });
  }
}
