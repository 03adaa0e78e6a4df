import { type LiveFrame, type LiveRow, type RefusedRequest, type Servers } from '@sluice/console-api';
import { locale } from './locale';

/** Max number of rows that a page keeps. */
const maxRows = 500;

export type LiveItem =
  | { readonly kind: 'row'; readonly key: string; readonly row: LiveRow }
  | { readonly kind: 'refused'; readonly key: string; readonly refusal: RefusedRequest };

/** Everything that the stream has sent up to now. Newest items come first. */
export interface LiveWindow {
  readonly items: readonly LiveItem[];
  /** Items that came while the page was paused. */
  readonly held: readonly LiveItem[];
  readonly confirmed: Readonly<Record<string, string>>;
  readonly lagMs: number | null;
  readonly servers: Servers | null;
  /** Messages that were read and left out in the last seconds: `[time, seen, skipped]` of each frame. */
  readonly pace: readonly (readonly [number, number, number])[];
  readonly dropped: number;
}

export const emptyWindow: LiveWindow = {
  items: [],
  held: [],
  confirmed: {},
  lagMs: null,
  servers: null,
  pace: [],
  dropped: 0,
};

const paceMs = 5000;

export function withFrame(window: LiveWindow, frame: LiveFrame, isPaused: boolean, now: number): LiveWindow {
  const news = listItems(frame);
  const { items, held: waitingItems } = window;
  return {
    ...window,
    ...(isPaused
      ? { held: [...news, ...waitingItems].slice(0, maxRows) }
      : { items: news.length === 0 ? items : [...news, ...items].slice(0, maxRows) }),
    confirmed: { ...window.confirmed, ...frame.confirmed },
    lagMs: frame.lagMs ?? window.lagMs,
    pace: [...window.pace.filter(([at]) => now - at < paceMs), [now, frame.seen, frame.skipped] as const],
    dropped: window.dropped + frame.dropped,
  };
}

/** Shows the held items. */
export const resumed = (window: LiveWindow): LiveWindow => ({
  ...window,
  items: [...window.held, ...window.items].slice(0, maxRows),
  held: [],
});

function listItems({ rows, refused }: LiveFrame): LiveItem[] {
  const items: LiveItem[] = [
    ...rows.map((row): LiveItem => ({ kind: 'row', key: `${row.topic}:${row.partition}:${row.offset}`, row })),
    ...refused.map((refusal): LiveItem => ({ kind: 'refused', key: `${refusal.requestId}:${refusal.kind}`, refusal })),
  ];
  return items.sort((a, b) => Date.parse(itemTime(b)) - Date.parse(itemTime(a)));
}

export const itemTime = (item: LiveItem): string => (item.kind === 'row' ? item.row.receivedAt : item.refusal.at);

/** A row is stored when the consumer has confirmed a later offset. */
export function judgeState(item: LiveItem, confirmed: LiveWindow['confirmed']): string {
  if (item.kind === 'refused') return item.refusal.kind;
  const { topic, partition, offset } = item.row;
  const end = confirmed[`${topic}:${partition}`];
  return end !== undefined && BigInt(offset) < BigInt(end) ? 'stored' : 'in-kafka';
}

/** `Shows every message: 312 a second`, or `Shows 1 in 13 (7,690 of 100,012 a second)`; empty until that is known. */
export function paceText(window: LiveWindow, now: number): string {
  const pace = window.pace.filter(([at]) => now - at < paceMs);
  const [first, ...rest] = pace;
  const last = pace.at(-1);
  const readCount = rest.reduce((sum, [, read]) => sum + read, 0);
  const skippedCount = rest.reduce((sum, [, , skippedInFrame]) => sum + skippedInFrame, 0);
  const seconds = first && last ? (last[0] - first[0]) / 1000 : 0;
  if (first && seconds === 0) return '';
  if (readCount + skippedCount === 0) return 'Nothing arrives right now';
  const [read, all] = [readCount, readCount + skippedCount].map((count) =>
    (count / seconds).toLocaleString(locale, { maximumFractionDigits: count / seconds < 10 ? 1 : 0 }),
  );
  if (skippedCount === 0) return `Shows every message: ${all ?? ''} a second`;
  return `Shows 1 in ${Math.round((readCount + skippedCount) / Math.max(readCount, 1)).toLocaleString(locale)} (${read ?? ''} of ${all ?? ''} a second)`;
}
