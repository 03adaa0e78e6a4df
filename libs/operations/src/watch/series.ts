/** Messages of one event of one source, by the hour of their arrival. */
export interface EventSeries {
  readonly source: string;
  readonly event: string;
  readonly totals: HourTotals;
}

/**
 * Counts of hours, added up: each element is the sum of all hours before it, so that a window costs two look-ups. The
 * last element includes the hour that is judged. Hours before the first one had nothing.
 */
export type HourTotals = ArrayLike<number>;

export const hoursPerWeek = 168;
/** Weeks whose same hours say what is expected. */
export const weeksBefore = 4;
/** Hours that a judgement needs: the longest window in five weeks, and the hour around it. */
export const neededHours = weeksBefore * hoursPerWeek + 25;

/** Adds up the counts of hours. */
export function addUpHours(hours: ArrayLike<number>): Float64Array {
  const totals = new Float64Array(hours.length + 1);
  for (let hour = 0; hour < hours.length; hour++) totals[hour + 1] = (totals[hour] ?? 0) + (hours[hour] ?? 0);
  return totals;
}

/** Sums a window of so many hours that ended so many hours before the end of the judged one. */
export function sumWindow(totals: HourTotals, length: number, hoursAgo: number): number {
  const end = totals.length - 1 - hoursAgo;
  return end <= 0 ? 0 : (totals[end] ?? 0) - (totals[Math.max(0, end - length)] ?? 0);
}

/** Quantile of sorted values, the lower of two neighbours. */
export const readQuantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
