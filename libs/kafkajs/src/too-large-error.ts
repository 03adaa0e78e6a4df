// Adds to kafkajs/src/protocol/message/compression: the error of data that becomes too large.

/** Decompressed bytes would exceed their limit. */
export class TooLargeError extends RangeError {
  constructor() {
    super('too large when decompressed');
  }
}
