/** Messages with one value of a dimension: of the event that changed, and of its whole source. */
export interface DimensionCount {
  /** Such as `app`, `sdk` or `host`. */
  readonly dimension: string;
  readonly value: string;
  /** Messages that show the change: those of an event that stopped, or those with a property that changed. */
  readonly partBefore: number;
  readonly wholeBefore: number;
  readonly partAfter: number;
  readonly wholeAfter: number;
}

/** The value must have this share of what arrived since, and at most that share of what arrived before. */
const minShareAfter = 0.2;
const maxShareBefore = 0.2;
const minWhole = 20;
/** Part of its messages that the value lacks of what the others had. */
const lackedPart = 0.5;

/**
 * Finds the version or host that a change came with: one that is new, and with which the messages are missing that the
 * others have. Empty if none explains it: then none is named.
 */
export function explainChange(counts: readonly DimensionCount[]): string {
  for (const [dimension, values] of Map.groupBy(counts, (count) => count.dimension)) {
    const sum = (member: 'partBefore' | 'wholeBefore' | 'wholeAfter'): number =>
      values.reduce((total, count) => total + count[member], 0);
    const [wholeBefore, wholeAfter] = [sum('wholeBefore'), sum('wholeAfter')];
    const rate = sum('partBefore') / Math.max(1, wholeBefore);
    const suspects = values.filter(
      (count) =>
        count.value !== '' &&
        count.wholeAfter >= minWhole &&
        count.wholeAfter >= minShareAfter * wholeAfter &&
        count.wholeBefore <= maxShareBefore * wholeBefore &&
        count.partAfter <= (1 - lackedPart) * rate * count.wholeAfter,
    );
    const [suspect] = suspects.sort((a, b) => b.wholeAfter - a.wholeAfter);
    if (suspect && rate > 0) return `${dimension} ${suspect.value}`;
  }
  return '';
}
