import { type MessagePlace } from '../rows/message-identity.js';

/** A value besides the time that all copies of a message have in common. */
export type SharedValue = string | number;

/** Messages that one query looks for, and the places of all of them. */
export interface MessageGroup {
  readonly ids: string[];
  /** Minutes of the messages' own times, since 1970. */
  readonly minutes: Map<SharedValue, Set<number>>;
  /** Minutes in which messages without a time of their own arrived. */
  readonly arrivals: Map<SharedValue, Set<number>>;
}

/** Bounds the memory of one look-up: an id takes some 40 bytes in ClickHouse, and so does a place. */
const idsPerGroup = 50_000;
/** Bounds the text of the shares of one look-up, which is sent for each day in which a message can lie. */
const shareBytesPerGroup = 512 * 1024;

/** The messages of a block to look up. Every copy of a message is asked for, because the times of copies may differ. */
export class AskedMessages {
  readonly groups: MessageGroup[] = [];
  /** Ids of messages whose place is unknown. They are looked up by id alone, which takes longer. */
  readonly blind: string[] = [];
  private group: MessageGroup | undefined;
  private shareBytes = 0;

  add(id: string, place: MessagePlace | undefined, share: SharedValue | undefined): void {
    if (!place || share === undefined) {
      this.blind.push(id);
      return;
    }
    const group = this.groupFor(place, share);
    group.ids.push(id);
    const places = placesIn(group, place);
    const minutes = places.get(share);
    if (minutes) minutes.add(place.minute);
    else places.set(share, new Set([place.minute]));
  }

  /** The open group, or a new one when it has no room for the message. */
  private groupFor(place: MessagePlace, share: SharedValue): MessageGroup {
    const isKnown = this.group && placesIn(this.group, place).has(share);
    const bytes = isKnown || typeof share === 'number' ? 0 : share.length;
    const hasRoom = bytes === 0 || this.shareBytes + bytes <= shareBytesPerGroup;
    if (!this.group || this.group.ids.length === idsPerGroup || !hasRoom) {
      this.group = { ids: [], minutes: new Map(), arrivals: new Map() };
      this.groups.push(this.group);
      this.shareBytes = 0;
    }
    this.shareBytes += bytes;
    return this.group;
  }
}

const placesIn = (group: MessageGroup, { hasOwnTime }: MessagePlace): Map<SharedValue, Set<number>> =>
  hasOwnTime ? group.minutes : group.arrivals;

const minutesPerDay = 24 * 60;
/** A message without a time of its own is looked up this many days back from its arrival; docs/api.md promises 8. */
const daysBack = 9;

/** Days since 1970 in which there can be copies of the messages that arrived in these minutes. */
export function listDays(arrivals: ReadonlySet<number>): Set<number> {
  const days = new Set<number>();
  for (const arrivedOn of new Set(Array.from(arrivals, (minute) => Math.floor(minute / minutesPerDay))))
    for (let day = arrivedOn - daysBack; day <= arrivedOn + 1; day++) days.add(day);
  return days;
}

/** First and last minute in which there can be copies of the messages that arrived in these minutes. */
export function findSpan(arrivals: ReadonlyMap<SharedValue, ReadonlySet<number>>): { from: number; to: number } {
  let [first, last] = [Infinity, -Infinity];
  for (const minutes of arrivals.values())
    for (const minute of minutes) [first, last] = [Math.min(first, minute), Math.max(last, minute)];
  return { from: first - daysBack * minutesPerDay, to: last + minutesPerDay };
}
