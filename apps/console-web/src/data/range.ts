import { type RangeQuery } from '@sluice/console-api';
import { serverNow } from './clock';

/** Lengths of time that a page can look back. They are relative in the address, so that a link stays current. */
export const ranges = ['15m', '1h', '6h', '24h', '7d'] as const;
export type RangeName = (typeof ranges)[number];

/** A length of time until now, or two times, ISO 8601. */
export type Span = RangeName | { readonly from: string; readonly to: string };

const minutes: Record<RangeName, number> = { '15m': 15, '1h': 60, '6h': 360, '24h': 1440, '7d': 10_080 };

export const isRange = (value: unknown): value is RangeName => ranges.some((range) => range === value);

/** Part of an address that names a span. */
export interface SpanSearch {
  range?: RangeName | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Span that an address names; without one, the last hour. */
export const chooseSpan = ({ range, from, to }: SpanSearch): Span => (from && to ? { from, to } : (range ?? '1h'));

export const spanSearch = (span: Span): SpanSearch =>
  typeof span === 'string' ? { range: span, from: undefined, to: undefined } : { ...span, range: undefined };

/** Text that stays the same while time passes: the span as a part of a key. */
export const spanKey = (span: Span): string => (typeof span === 'string' ? span : `${span.from}/${span.to}`);

/** The span as a question of this moment. */
export const buildRangeQuery = (span: Span): RangeQuery =>
  typeof span === 'string' ? { from: new Date(serverNow() - minutes[span] * 60_000).toISOString() } : span;
