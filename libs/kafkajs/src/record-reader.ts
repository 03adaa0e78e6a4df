// Takes the place of the numbers of variable length in kafkajs/src/protocol/decoder.js.

/** Reads numbers of variable length in turn. */
export class RecordReader {
  constructor(
    readonly bytes: Buffer,
    public position = 0,
    private readonly end = bytes.length,
  ) {}

  /** Reads a signed number of 32 bits. @throws RangeError beyond the end. */
  varInt(): number {
    let byte = this.next();
    let raw = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift > 28) throw new RangeError('a number is longer than 32 bits');
      byte = this.next();
      raw |= (byte & 0x7f) << shift;
    }
    return (raw >>> 1) ^ -(raw & 1);
  }

  /** Reads a signed number of 64 bits; a bigint if encoded in more than 7 bytes. @throws RangeError beyond the end. */
  varLong(): number | bigint {
    const from = this.position;
    for (let scale = 1, raw = 0; scale < 2 ** 49; scale *= 0x80) {
      const byte = this.next();
      raw += (byte & 0x7f) * scale;
      if (byte < 0x80) return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
    }
    this.position = from;
    return this.longest();
  }

  /** Skips `length` bytes and returns their start; -1 means null and skips none. @throws RangeError beyond the end. */
  pass(length: number): number {
    const from = this.position;
    this.position += Math.max(length, 0);
    if (length < -1 || this.position > this.end) throw new RangeError('a record ends before its parts do');
    return from;
  }

  private longest(): bigint {
    let raw = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.next();
      raw |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, (raw >> 1n) ^ -(raw & 1n));
    }
    throw new RangeError('a number is longer than 64 bits');
  }

  private next(): number {
    const byte = this.position < this.end ? this.bytes[this.position++] : undefined;
    if (byte === undefined) throw new RangeError('a record ends within a number');
    return byte;
  }
}
