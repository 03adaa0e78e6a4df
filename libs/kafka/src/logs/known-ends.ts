import { partitionKey, type TopicPartition } from '../protocol/block.js';

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
  look(): (place: TopicPartition, end: bigint, logId?: string) => void {
    const restarted = new Set<string>();
    this.restarted = restarted;
    return (place, end, logId) => {
      const key = partitionKey(place);
      if (restarted.has(key)) return;
      const [endBefore, idBefore] = [this.ends.get(key), this.logIds.get(key)];
      const isOther = logId !== undefined && idBefore !== undefined && logId !== idBefore;
      if (endBefore !== undefined && (isOther || end < endBefore)) this.formerEnds.set(key, endBefore);
      this.ends.set(key, end);
      if (logId !== undefined) this.logIds.set(key, logId);
    };
  }

  end(place: TopicPartition): bigint | undefined {
    return this.ends.get(partitionKey(place));
  }

  /** The last known end of the replaced log; undefined when no replacement was seen. */
  formerEnd(place: TopicPartition): bigint | undefined {
    return this.formerEnds.get(partitionKey(place));
  }

  /** The log of the place was replaced: forget its ends. */
  restart(place: TopicPartition): void {
    const key = partitionKey(place);
    this.ends.delete(key);
    this.formerEnds.delete(key);
    this.logIds.delete(key);
    this.restarted.add(key);
  }
}
