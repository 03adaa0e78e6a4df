// Makes finished bytes look like the work of kafkajs/src/protocol/encoder.js.
import { type createRequire } from 'node:module';

/** The part of kafkajs' Encoder (protocol/encoder.js) that is needed to take bytes from it, and to hand finished ones on without a copy. */
export interface Encoder {
  buf: Buffer;
  offset: number;
}

/** Returns what makes finished bytes look like the work of kafkajs' Encoder. */
export function finisher(require: ReturnType<typeof createRequire>): (bytes: Buffer) => Encoder {
  const EmptyEncoder = require('kafkajs/src/protocol/encoder') as new (size: number) => Encoder;
  return (bytes) => Object.assign(new EmptyEncoder(0), { buf: bytes, offset: bytes.length });
}
