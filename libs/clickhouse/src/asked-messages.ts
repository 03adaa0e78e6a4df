import { type MessagePlace } from './row-message.js';
import { type TimeWindow } from './time-window.js';

/** Messages that one query looks for, within places that cover those of them all. */
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

/** The messages of a block that are looked for. Copies of one message are all asked for: their times may differ. */
export class AskedMessages {
  readonly groups: MessageGroup[] = [];
  /** Ids of messages without a place, which are found by their id alone; that takes longer. */
  readonly blind: string[] = [];
  private group: MessageGroup | undefined;

  /** @param share what else than the time the copies of the message share */
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
/** Days back from its arrival in which a message without a time of its own is looked for; docs/api.md promises 8. */
const daysBack = 9;

/** Windows of the times that copies of the messages may have. */
export function windowsOf({ minutes, arrivals }: Pick<MessageGroup, 'minutes' | 'arrivals'>): TimeWindow[] {
  const windowOf = (minute: number): TimeWindow => ({ from: minute * minuteMs, to: (minute + 1) * minuteMs - 1 });
  const around = ({ from, to }: TimeWindow): TimeWindow => ({ from: from - daysBack * dayMs, to: to + dayMs });
  return [...Array.from(minutes, windowOf), ...Array.from(arrivals, windowOf).map(around)];
}
