/** Lengths of time that a page can look back. They are relative in the address, so that a link stays current. */
export const ranges = ['15m', '1h', '6h', '24h', '7d'] as const;
export type Range = (typeof ranges)[number];

const minutes: Record<Range, number> = { '15m': 15, '1h': 60, '6h': 360, '24h': 1440, '7d': 10_080 };

export const isRange = (value: unknown): value is Range => ranges.some((one) => one === value);

/** Start of the range, ISO 8601, rounded to ten seconds so that equal questions are asked once. */
export function startOf(range: Range): string {
  const step = 10_000;
  return new Date(Math.floor((Date.now() - minutes[range] * 60_000) / step) * step).toISOString();
}
