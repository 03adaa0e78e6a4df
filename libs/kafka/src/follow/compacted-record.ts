/** A record of a compacted topic: a value that replaces earlier ones of its key, or null, which deletes the key. */
export interface CompactedRecord {
  key: string;
  value: Buffer | null;
}

/** Takes the records of one reading, from the beginning of the topic. */
export interface RecordSink {
  /** Records come oldest first, each once, with their offsets. */
  take: (record: CompactedRecord, offset: bigint) => void;
  /**
   * Called when every record that existed when the reading began was taken, with the offset of the newest, or -1. More
   * may follow.
   */
  caughtUp: (newest: bigint) => void;
}
