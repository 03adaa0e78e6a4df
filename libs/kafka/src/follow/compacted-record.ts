/** A record of a compacted topic: the newest value of its key, or null when it was deleted. */
export interface CompactedRecord {
  key: string;
  value: Buffer | null;
}

/** Takes the records of one reading, from the beginning of the topic. */
export interface RecordSink {
  /** Records come oldest first, each once. */
  take: (record: CompactedRecord) => void;
  /** Called when every record that existed when the reading began was taken. More may follow. */
  caughtUp: () => void;
}
