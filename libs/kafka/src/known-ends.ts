import { type Place } from './block.js';

/**
 * The ends of logs as they were last seen. Looks follow each other: when the end of a log has gone back from one to the
 * next, its topic was deleted and created anew, and the old log ended where it was seen last, or later.
 */
export class KnownEnds {
  private readonly ends = new Map<string, bigint>();
  private readonly formerEnds = new Map<string, bigint>();
  /** Places that have begun anew since the present look began: its answer may still speak of the old log. */
  private anew = new Set<string>();

  /** Begins a look; the one before must be over. Returns what takes its answers. */
  look(): (place: Place, end: bigint) => void {
    const anew = new Set<string>();
    this.anew = anew;
    return (place, end) => {
      const key = keyOf(place);
      if (anew.has(key)) return;
      const before = this.ends.get(key);
      if (before !== undefined && end < before) this.formerEnds.set(key, before);
      this.ends.set(key, end);
    };
  }

  of(place: Place): bigint | undefined {
    return this.ends.get(keyOf(place));
  }

  /** The last known end of the log that was there before; undefined when none was seen to be replaced. */
  formerOf(place: Place): bigint | undefined {
    return this.formerEnds.get(keyOf(place));
  }

  /** The log of the place is another one than that of the looks until now. */
  startAnew(place: Place): void {
    const key = keyOf(place);
    this.ends.delete(key);
    this.formerEnds.delete(key);
    this.anew.add(key);
  }
}

const keyOf = ({ topic, partition }: Place): string => `${topic}:${partition}`;
