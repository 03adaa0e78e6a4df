/** Part of a bounded good that one source may hold while others hold much of it. */
const partOfSource = 1 / 4;
/** Part of the good that may be held by all before the part of each source is bounded. */
const freelyHeldPart = 1 / 2;

/**
 * The amounts of a bounded good (memory, places) that sources hold. A source may always hold a quarter, or one amount
 * of any size; it may hold more only while at most half of the good is held.
 */
export class SourceParts {
  private readonly held = new Map<string, number>();

  /**
   * Whether a source that needs `extra` would exceed its part. Never true without a key: such clients have no source.
   * @param heldByAll amount that all sources hold
   * @param total the whole good
   */
  isSpentBy(source: string | undefined, extra: number, heldByAll: number, total: number): boolean {
    if (source === undefined || heldByAll + extra <= total * freelyHeldPart) return false;
    const heldBySource = this.held.get(source) ?? 0;
    return heldBySource > 0 && heldBySource + extra > total * partOfSource;
  }

  /** Adds what a source holds, or gives it back with a negative amount. */
  add(source: string | undefined, amount: number): void {
    if (source === undefined || amount === 0) return;
    const remaining = (this.held.get(source) ?? 0) + amount;
    if (remaining > 0) this.held.set(source, remaining);
    else this.held.delete(source);
  }
}
