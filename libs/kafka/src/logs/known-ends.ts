import { type Place } from '../protocol/block.js';

/**
 * The last known ends of logs. When the id of a topic changes between two looks, or an end goes back, the topic was
 * recreated; the old log ended at its last known end, or later.
 */
export class KnownEnds {
  private readonly ends = new Map<string, bigint>();
  private readonly formerEnds = new Map<string, bigint>();
  private readonly logIds = new Map<string, string>();
  /** Places that were restarted during the present look: its answers for them may still be of the old log. */
  private restarted = new Set<string>();

  /** Begins a look; the one before must be over. Returns the function that takes its answers. */
  look(): (place: Place, end: bigint, logId?: string) => void {
    const restarted = new Set<string>();
    this.restarted = restarted;
    return (place, end, logId) => {
      const key = keyOf(place);
      if (restarted.has(key)) return;
      const [before, idBefore] = [this.ends.get(key), this.logIds.get(key)];
      const isOther = logId !== undefined && idBefore !== undefined && logId !== idBefore;
      if (before !== undefined && (isOther || end < before)) this.formerEnds.set(key, before);
      this.ends.set(key, end);
      if (logId !== undefined) this.logIds.set(key, logId);
    };
  }

  of(place: Place): bigint | undefined {
    return this.ends.get(keyOf(place));
  }

  /** The last known end of the replaced log; undefined when no replacement was seen. */
  formerOf(place: Place): bigint | undefined {
    return this.formerEnds.get(keyOf(place));
  }

  /** The log of the place was replaced: forget its ends. */
  restart(place: Place): void {
    const key = keyOf(place);
    this.ends.delete(key);
    this.formerEnds.delete(key);
    this.logIds.delete(key);
    this.restarted.add(key);
  }
}

const keyOf = ({ topic, partition }: Place): string => `${topic}:${partition}`;
