// Makes finished bytes look like the work of kafkajs/src/protocol/encoder.js.
import { type createRequire } from 'node:module';

/** The part of kafkajs' Encoder that is needed to take its bytes, and to hand on finished bytes without a copy. */
export interface Encoder {
  buf: Buffer;
  offset: number;
}

/** Returns a function that makes finished bytes look like the work of kafkajs' Encoder. */
export function makeByteWrapper(require: ReturnType<typeof createRequire>): (bytes: Buffer) => Encoder {
  const EmptyEncoder = require('kafkajs/src/protocol/encoder') as new (size: number) => Encoder;
  return (bytes) => Object.assign(new EmptyEncoder(0), { buf: bytes, offset: bytes.length });
}
