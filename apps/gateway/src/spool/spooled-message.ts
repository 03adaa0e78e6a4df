/** A message on its way to the disk. */
export interface MessageToSpool {
  readonly topic: string;
  readonly key: string;
  readonly value: string | Uint8Array;
  /** JSON. */
  readonly headers: string;
  /** @see OutgoingMessage.partition */
  readonly partition?: number | undefined;
}

/** A message that waits on the disk. Its place in its queue is `seq`. */
export interface SpooledMessage extends MessageToSpool {
  readonly seq: number;
  /** Time of acceptance, in milliseconds since 1970. */
  readonly acceptedAt: number;
  /** Whether it was sent to Kafka before, maybe by a process that died: Kafka may have it. */
  readonly wasTried: boolean;
}

/** The next messages of the queue, and their place, with which the reader confirms them. */
export interface SpooledBatch {
  readonly messages: readonly SpooledMessage[];
  /** Undefined when no message waits. */
  readonly place: QueuePlace | undefined;
}

/** All messages of a queue up to `lastSeq`. The path is never used again for another queue. */
export interface QueuePlace {
  readonly path: string;
  readonly lastSeq: number;
}

export const spooledBytes = ({ key, value, headers }: MessageToSpool): number =>
  Buffer.byteLength(key) + Buffer.byteLength(value) + Buffer.byteLength(headers);
