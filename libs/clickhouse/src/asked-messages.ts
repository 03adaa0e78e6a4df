import { type MessagePlace } from './row-message.js';
import { type TimeWindow } from './time-window.js';

/** Messages that one query looks for. Its shares and minutes cover the places of all of them. */
export interface MessageGroup {
  readonly ids: string[];
  readonly shares: Set<string | number>;
  /** Minutes of the messages' own times, since 1970. */
  readonly minutes: Set<number>;
  /** Minutes in which messages without a time of their own arrived. */
  readonly arrivals: Set<number>;
}

/** Bounds the memory of one look-up: an id takes some 40 bytes in ClickHouse. */
const idsPerGroup = 50_000;

/** The messages of a block to look up. Every copy of a message is asked for, because the times of copies may differ. */
export class AskedMessages {
  readonly groups: MessageGroup[] = [];
  /** Ids of messages whose place is unknown. They are looked up by id alone, which takes longer. */
  readonly blind: string[] = [];
  private group: MessageGroup | undefined;

  /** @param share the value besides the time that all copies of the message have in common */
  add(id: string, place: MessagePlace | undefined, share: string | number | undefined): void {
    if (!place || share === undefined) {
      this.blind.push(id);
      return;
    }
    if (!this.group || this.group.ids.length === idsPerGroup) {
      this.group = { ids: [], shares: new Set(), minutes: new Set(), arrivals: new Set() };
      this.groups.push(this.group);
    }
    this.group.ids.push(id);
    this.group.shares.add(share);
    (place.hasOwnTime ? this.group.minutes : this.group.arrivals).add(place.minute);
  }
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A message without a time of its own is looked up this many days back from its arrival; docs/api.md promises 8. */
const daysBack = 9;

/** Time windows that cover every copy of the messages. */
export function windowsOf({ minutes, arrivals }: Pick<MessageGroup, 'minutes' | 'arrivals'>): TimeWindow[] {
  const windowOf = (minute: number): TimeWindow => ({ from: minute * minuteMs, to: (minute + 1) * minuteMs - 1 });
  const around = ({ from, to }: TimeWindow): TimeWindow => ({ from: from - daysBack * dayMs, to: to + dayMs });
  return [...Array.from(minutes, windowOf), ...Array.from(arrivals, windowOf).map(around)];
}
