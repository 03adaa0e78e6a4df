import { locale } from '../data/locale';
import { Unknown } from './zone';

const exact = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const rates = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

/** Takes numbers and text, because 64-bit values travel as text. Counts below 10,000 are never rounded. */
export function countText(value: string | number): string {
  const whole = BigInt(typeof value === 'number' ? Math.round(value) : value);
  return whole < 10_000n ? exact.format(whole) : compact.format(whole);
}

export const exactText = (value: string | number): string =>
  exact.format(typeof value === 'number' ? value : BigInt(value));

/** A number with its noun: `1 event`, `2 events`. */
export const countWords = (count: number, singular: string, plural: string): string =>
  `${exactText(count)} ${count === 1 ? singular : plural}`;

export function Count({ value }: { value: string | number | null | undefined }) {
  if (value === null || value === undefined) return <Unknown />;
  return <span title={exactText(value)}>{countText(value)}</span>;
}

/** A number per second. */
export function Rate({ value, unit = '/s' }: { value: number | null | undefined; unit?: string }) {
  if (value === null || value === undefined) return <Unknown />;
  return (
    <span title={exact.format(value)}>
      {value >= 10_000 ? compact.format(value) : rates.format(value)}
      <span className="soft rate-unit">{unit}</span>
    </span>
  );
}

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

export function bytesText(bytes: number): string {
  const step = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1000)));
  return `${rates.format(bytes / 1000 ** step)} ${units[step] ?? 'B'}`;
}

/** A number per second without its unit; a dash where nothing is known. */
export function rateText(value: number | null): string {
  if (value === null) return '–';
  return value >= 10_000 ? compact.format(value) : rates.format(value);
}
