// Adds to kafkajs/src/protocol/message/compression: the error of data that becomes too large.

/** Bytes would become more than their limit when decompressed. */
export class TooLargeError extends RangeError {
  constructor() {
    super('too large when decompressed');
  }
}
