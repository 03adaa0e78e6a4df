const mask = 0xffffffffffffffffn;
const initial = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n] as const;

type State = [bigint, bigint, bigint, bigint];

/**
 * ClickHouse's `sipHash64(kind, id)`, as in the column `identity` of events. It is computed here, so that no statement
 * has an id in clear: ClickHouse keeps statements in its query log, and mutations in its system tables.
 */
export function identityHash(kind: string, id: string): bigint {
  const pair = Buffer.alloc(16);
  pair.writeBigUInt64LE(sipHash(Buffer.from(kind)), 0);
  pair.writeBigUInt64LE(sipHash(Buffer.from(id)), 8);
  return sipHash(pair);
}

/** SipHash-2-4 with a key of zeros. */
function sipHash(bytes: Buffer): bigint {
  const state: State = [...initial];
  const wholeLength = bytes.length - (bytes.length % 8);
  for (let offset = 0; offset < wholeLength; offset += 8) take(state, bytes.readBigUInt64LE(offset));
  const lastWord = Buffer.alloc(8);
  bytes.copy(lastWord, 0, wholeLength);
  lastWord[7] = bytes.length & 0xff;
  take(state, lastWord.readBigUInt64LE(0));
  state[2] ^= 0xffn;
  for (let turn = 0; turn < 4; turn += 1) mix(state);
  return state[0] ^ state[1] ^ state[2] ^ state[3];
}

function take(state: State, word: bigint): void {
  state[3] ^= word;
  mix(state);
  mix(state);
  state[0] ^= word;
}

function mix(state: State): void {
  let [a, b, c, d] = state;
  a = (a + b) & mask;
  b = rotate(b, 13n) ^ a;
  a = rotate(a, 32n);
  c = (c + d) & mask;
  d = rotate(d, 16n) ^ c;
  a = (a + d) & mask;
  d = rotate(d, 21n) ^ a;
  c = (c + b) & mask;
  b = rotate(b, 17n) ^ c;
  c = rotate(c, 32n);
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
}

const rotate = (value: bigint, bits: bigint): bigint => ((value << bits) | (value >> (64n - bits))) & mask;
