/** A record of a compacted topic: the newest value of its key, or null when it was deleted. */
export interface CompactedRecord {
  key: string;
  value: Buffer | null;
}
