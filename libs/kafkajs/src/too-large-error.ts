/** Bytes would become more than their limit when decompressed. */
export class TooLargeError extends RangeError {
  constructor() {
    super('too large when decompressed');
  }
}
