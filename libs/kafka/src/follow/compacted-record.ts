/** A record of a compacted topic: the newest value of its key, or null when it was deleted. */
export interface CompactedRecord {
  key: string;
  value: Buffer | null;
}

/** Takes the records of one reading, from the beginning of the topic. */
export interface RecordSink {
  /** Records come oldest first, each once. */
  take: (record: CompactedRecord) => void;
  /** Every record that was there when the reading began has been taken; more may follow. */
  caughtUp: () => void;
}
