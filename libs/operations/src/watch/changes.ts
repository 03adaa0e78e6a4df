import { type ChangeKind } from '@sluice/console-api';
import { type EventFinding } from './judge-events.js';
import { type PropertyFinding } from './judge-properties.js';
import { type ShareFinding, shareHours } from './judge-shares.js';

/** A change of what arrives, from when it was found until it ended. */
export interface EventChange {
  readonly source: string;
  /** Empty for a change of the whole source. */
  readonly event: string;
  /** Empty unless a property changed. */
  readonly property: string;
  readonly kind: ChangeKind;
  /** Beginning of the first hour that showed it, milliseconds since 1970. */
  readonly began: number;
  /** End of the hour in which it was found. */
  readonly found: number;
  /** End of the hour in which it was well again, or too old; null while it lasts. */
  readonly ended: number | null;
  /** Messages of an hour for an event; shares from 0 to 1 for all others. */
  readonly observed: number;
  readonly expectedLow: number;
  readonly expectedHigh: number;
  /** Types before and now, for a type that changed. */
  readonly typeBefore: string;
  readonly type: string;
  /** The version or host that it came with, such as `app 4.2.1`; empty if none explains it. */
  readonly since: string;
}

export type Finding = EventFinding | PropertyFinding | ShareFinding;

/** Changes of one thing: an event that fell and then stops has one change. */
export function changeKey({
  source,
  event,
  property,
  kind,
}: Pick<EventChange, 'source' | 'event' | 'property' | 'kind'>): string {
  const family = kind === 'stopped' || kind === 'fell' ? 'messages' : kind;
  return [source, family, event, property].join(' ');
}

export const hourMs = 3_600_000;
/** A change that lasts longer is the new state: no week before it is in its history any more. */
const maxAgeMs = 14 * 24 * hourMs;

/** Effects of one hour on the open changes. */
export interface HourOutcome {
  readonly opened: readonly EventChange[];
  /** Open changes that are worse now, or have ended. */
  readonly updated: readonly EventChange[];
}

/**
 * Compares the findings of an hour with the changes that are open. Pure, and an hour that is judged again changes
 * nothing more.
 * @param wellKeys `changeKey` of what is as expected
 * @param hourEnd end of the judged hour, milliseconds since 1970
 */
export function foldHour(
  open: ReadonlyMap<string, EventChange>,
  findings: readonly Finding[],
  wellKeys: ReadonlySet<string>,
  hourEnd: number,
): HourOutcome {
  const changes = findings.map((finding) => describeFinding(finding, hourEnd));
  const foundKeys = new Set(changes.map(changeKey));
  const opened = changes.filter((change) => !open.has(changeKey(change)));
  const worse = changes.flatMap((change) => {
    const before = open.get(changeKey(change));
    return before?.kind === 'fell' && change.kind === 'stopped'
      ? { ...change, began: before.began, found: before.found, since: before.since }
      : [];
  });
  const ended = [...open].flatMap(([key, change]) => {
    const isOver = !foundKeys.has(key) && wellKeys.has(key);
    return isOver || hourEnd - change.found >= maxAgeMs ? { ...change, ended: hourEnd } : [];
  });
  return { opened, updated: [...worse, ...ended] };
}

function describeFinding(finding: Finding, hourEnd: number): EventChange {
  const noDetails = { event: '', property: '', typeBefore: '', type: '', since: '', ended: null, found: hourEnd };
  const { source, kind } = finding;
  if ('messages' in finding) {
    const { event, hours, messages, expected } = finding;
    return {
      ...noDetails,
      source,
      kind,
      event,
      began: hourEnd - hours * hourMs,
      observed: messages / hours,
      expectedLow: expected.low / hours,
      expectedHigh: expected.high / hours,
    };
  }
  const { share: observed, expectedShare } = finding;
  if ('property' in finding) {
    const { event, property, typeBefore, type } = finding;
    const shares = { observed, expectedLow: expectedShare, expectedHigh: kind === 'type' ? expectedShare : 1 };
    return { ...noDetails, source, kind, event, property, typeBefore, type, began: hourEnd - hourMs, ...shares };
  }
  return {
    ...noDetails,
    source,
    kind,
    event: finding.event,
    began: hourEnd - shareHours * hourMs,
    observed,
    expectedLow: 0,
    expectedHigh: expectedShare,
  };
}
