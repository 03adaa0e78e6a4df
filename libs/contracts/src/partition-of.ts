/** The partition of a key by Kafka's default hash (murmur2), so that producers in any language agree. */
export function partitionOf(key: Buffer, partitions: number): number {
  return partitionOfHash(murmur2(key), partitions);
}

/** The partition of a key with this hash. */
export const partitionOfHash = (hash: number, partitions: number): number => (hash & 0x7fffffff) % partitions;

/**
 * The hash by which Kafka finds the partition of a key: murmur2, as a signed integer.
 * @param length number of bytes that count
 */
export const hashOfKey = (key: string | Buffer, length?: number): number =>
  murmur2(typeof key === 'string' ? Buffer.from(key) : key, length);

const multiplier = 0x5bd1e995;
const wordBits = 32;
const maxAscii = 127;

const initial = (length: number): number => (0x9747b28c ^ length) | 0;

function mixed(word: number): number {
  const k = Math.imul(word, multiplier);
  return Math.imul(k ^ (k >>> 24), multiplier);
}

const withWord = (hash: number, mixedWord: number): number => Math.imul(hash, multiplier) ^ mixedWord;
const withRest = (hash: number, rest: number): number => Math.imul(hash ^ rest, multiplier);

function finished(hash: number): number {
  const h = Math.imul(hash ^ (hash >>> 13), multiplier);
  return h ^ (h >>> 15);
}

/** murmur2, 32 bits, as in Kafka's Java client. */
function murmur2(data: Buffer, length = data.length): number {
  const end = length & ~3;
  let hash = initial(length);
  for (let at = 0; at < end; at += 4) hash = withWord(hash, mixed(data.readInt32LE(at)));
  return finished(length > end ? withRest(hash, restOf(data, end, length)) : hash);
}

/** The bytes after the last whole word, as a number. */
function restOf(data: Buffer, from: number, to: number): number {
  let rest = 0;
  for (let at = from; at < to; at++) rest |= (data[at] ?? 0) << (8 * (at - from));
  return rest;
}

/** Hashes keys that begin with one prefix, like `hashOfKey`. ASCII is hashed without being encoded first. */
export class PrefixedKeyHash {
  private readonly length: number;
  private readonly mixedWords: readonly number[];
  private readonly rest: number;
  private readonly restBits: number;

  constructor(private readonly prefix: string) {
    const bytes = Buffer.from(prefix);
    const end = bytes.length & ~3;
    this.length = bytes.length;
    this.mixedWords = Array.from({ length: end / 4 }, (_, word) => mixed(bytes.readInt32LE(word * 4)));
    this.rest = restOf(bytes, end, bytes.length);
    this.restBits = 8 * (bytes.length - end);
  }

  /** The hash of the key that ends with this text. */
  hashOf(text: string): number {
    let hash = initial(this.length + text.length);
    for (const word of this.mixedWords) hash = withWord(hash, word);
    let [word, bits] = [this.rest, this.restBits];
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > maxAscii) return hashOfKey(this.prefix + text);
      word |= unit << bits;
      bits += 8;
      if (bits < wordBits) continue;
      hash = withWord(hash, mixed(word));
      word = bits = 0;
    }
    return finished(bits > 0 ? withRest(hash, word) : hash);
  }
}
