/** Steps of 5 %, the first of which begins at 1 ms: 450 steps reach beyond the time for which probes are kept. */
const base = 1.05;
const maxStep = 449;

/** Adds a time to counts by step; the counts end with the last step that has any. */
export function addLatency(counts: number[], ms: number): void {
  const step = ms <= 1 ? 0 : Math.min(maxStep, Math.ceil(Math.log(ms) / Math.log(base)));
  while (counts.length <= step) counts.push(0);
  counts[step] = (counts[step] ?? 0) + 1;
}

/** Milliseconds that a share of all took at most, up to 5 % too high; null without any. */
export function findQuantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let sum = 0;
  const step = counts.findIndex((count) => (sum += count) >= total * share);
  return Math.round(base ** step);
}
