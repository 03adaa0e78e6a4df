// Takes the place of the numbers of variable length in kafkajs/src/protocol/encoder.js.

// Numbers of Kafka's record format: signed, 32 bits, of variable length.

/** Zigzag encoding: small numbers of either sign are short. */
const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;

export function varIntLength(value: number): number {
  const bits = 32 - Math.clz32(zigzag(value));
  return Math.max(1, Math.ceil(bits / 7));
}

/** Writes the number; returns the offset of its end. */
export function writeVarInt(bytes: Buffer, position: number, value: number): number {
  let remainder = zigzag(value);
  let end = position;
  while (remainder > 0x7f) {
    bytes[end++] = (remainder & 0x7f) | 0x80;
    remainder >>>= 7;
  }
  bytes[end++] = remainder;
  return end;
}
