/** A message on its way to the disk. */
export interface MessageToSpool {
  readonly topic: string;
  readonly key: string;
  readonly value: string | Uint8Array;
  /** JSON. */
  readonly headers: string;
}

/** A message that waits on the disk. Its place in its queue is `seq`. */
export interface SpooledMessage extends MessageToSpool {
  readonly seq: number;
  /** When it was accepted, in milliseconds since 1970. */
  readonly at: number;
  /** It was handed to Kafka before, maybe by a process that died: Kafka may have it. */
  readonly wasTried: boolean;
}

/** What comes next in the queue, and where it lies, by which its reader says that it may be forgotten. */
export interface SpooledBatch {
  readonly messages: readonly SpooledMessage[];
  /** Undefined when nothing waits. */
  readonly place: QueuePlace | undefined;
}

/** All messages of a queue up to `through`. The path is never used again for another queue. */
export interface QueuePlace {
  readonly path: string;
  readonly through: number;
}

export const spooledBytesOf = ({ key, value, headers }: MessageToSpool): number =>
  Buffer.byteLength(key) + Buffer.byteLength(value) + Buffer.byteLength(headers);
