/** Kinds of changes that the watch finds: docs/watch.md. */
export const changeKinds = ['stopped', 'fell', 'type', 'vanished', 'refused', 'clock'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Time for which an event is not watched. */
export interface WatchMute {
  readonly source: string;
  /** Empty for changes of the whole source. */
  readonly event: string;
  /** ISO 8601 UTC. */
  readonly until: string;
  readonly reason: string;
  readonly actor: string;
}

/** A change of what arrives. Times are ISO 8601 UTC. */
export interface WatchedChange {
  /** Part of the address of its page. */
  readonly id: string;
  readonly source: string;
  /** Empty for a change of the whole source. */
  readonly event: string;
  /** Path of the property that changed; empty for others. */
  readonly property: string;
  readonly kind: ChangeKind;
  /** Beginning of the first hour that showed it. */
  readonly began: string;
  readonly found: string;
  /** Null while it lasts. */
  readonly ended: string | null;
  /** Messages of an hour for stopped and fell; a share from 0 to 1 for all others. */
  readonly observed: number;
  readonly expectedLow: number;
  readonly expectedHigh: number;
  readonly typeBefore: string;
  readonly type: string;
  /** Version or host that it came with, such as `app 4.2.1`; empty if none explains it. */
  readonly since: string;
  readonly mute: WatchMute | null;
}

/** The last run of the watch. */
export interface WatchRunView {
  /** End of the hour that it judged, ISO 8601 UTC. */
  readonly judgedUntil: string;
  readonly tookMs: number;
  readonly judged: number;
  /** Events of which the history says too little. */
  readonly unknown: number;
}

/** A mute of the event of a change, or of its whole source if it has none. */
export interface NewMute {
  /** @minimum 1 @maximum 366 */
  days: number;
  /**
   * Why, for the audit.
   * @maxLength 500
   */
  reason: string;
}

/** Changes of one source, or of all. */
export interface WatchQuery {
  /** @maxLength 64 */
  source?: string;
}

export interface WatchState {
  /** Null if there was none yet. */
  readonly run: WatchRunView | null;
  /** The newest first; ended ones of the last days, too. */
  readonly changes: readonly WatchedChange[];
}

/** A change as the console shows it: texts of clients are masked. */
export interface ShownChange extends WatchedChange {
  readonly sourceName: string;
}

export interface ShownChanges extends WatchState {
  readonly changes: readonly ShownChange[];
}

/** An hour of what changed, with what was expected of it. */
export interface WatchedHour {
  /** ISO 8601 UTC. */
  readonly hour: string;
  /** Messages, or a share in percent; null where nothing is known. */
  readonly value: number | null;
  /** Least and most of the same hour in the four weeks before; for a share, what is expected. */
  readonly low: number | null;
  readonly high: number | null;
}

export interface ChangeDetail {
  readonly change: ShownChange;
  /** The hours around the change, oldest first. */
  readonly hours: readonly WatchedHour[];
  readonly unit: 'messages' | 'percent';
}

const formatCount = (count: number): string =>
  (count >= 10 ? Math.round(count) : Math.round(count * 10) / 10).toLocaleString('en-US');
const formatShare = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

const formatMost = (share: number): string =>
  share < 0.0005 ? 'before, none' : `it was ${formatShare(share)} at most`;

/** Says what changed in one sentence, without the time: `stopped with app 4.2.1; 310 to 420 an hour were expected`. */
export function describeChange(change: Omit<WatchedChange, 'id' | 'began' | 'found' | 'ended' | 'mute'>): string {
  const { event, kind, property, observed, expectedLow, expectedHigh, typeBefore, type } = change;
  const withSince = change.since === '' ? '' : ` with ${change.since}`;
  const hours = `${formatCount(expectedLow)} to ${formatCount(expectedHigh)} an hour were expected`;
  const texts: Record<ChangeKind, string> = {
    stopped: `stopped${withSince}; ${hours}`,
    fell: `fell to ${formatCount(observed)} an hour${withSince}; ${hours}`,
    type: `${property} is ${type} in ${formatShare(observed)} of the messages${withSince}; it was ${typeBefore}`,
    vanished: `${property} is in ${formatShare(observed)} of the messages${withSince}; ${expectedLow > 0.9995 ? 'it was in all of them' : `it was in ${formatShare(expectedLow)} or more`}`,
    refused: `${formatShare(observed)} of ${event === '' ? 'what it sends' : 'it'} is refused; ${formatMost(expectedHigh)}`,
    clock: `${formatShare(observed)} of its devices have a wrong clock; ${formatMost(expectedHigh)}`,
  };
  return texts[kind];
}
