/** Milliseconds since 1970, both ends included. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * Covers the given windows with at most `count` windows. The nearest ones are joined, because rows between joined
 * windows are read in vain.
 */
export function joinWindows(windows: readonly TimeWindow[], count: number): TimeWindow[] {
  const ordered = windows.toSorted((a, b) => a.from - b.from);
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of ordered) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  if (joined.length <= count) return joined;
  const gaps = joined.slice(1).map(({ from }, i) => from - (joined[i]?.to ?? from));
  // Keeps the widest gaps; ties do not matter.
  const kept = new Set(
    gaps
      .map((gap, i) => ({ gap, i }))
      .toSorted((a, b) => b.gap - a.gap)
      .slice(0, count - 1)
      .map(({ i }) => i + 1),
  );
  const few: { from: number; to: number }[] = [];
  for (const [i, { from, to }] of joined.entries()) {
    const last = few.at(-1);
    if (last && !kept.has(i)) last.to = to;
    else few.push({ from, to });
  }
  return few;
}
