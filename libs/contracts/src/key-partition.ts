/** The partition of a key by Kafka's default hash (murmur2), so that producers in any language agree. */
export function partitionForKey(key: Buffer, partitions: number): number {
  return partitionForHash(murmur2(key), partitions);
}

/** The partition of a key with this hash. */
export const partitionForHash = (hash: number, partitions: number): number => (hash & 0x7fffffff) % partitions;

/**
 * The hash by which Kafka finds the partition of a key: murmur2, as a signed integer.
 * @param length number of bytes that count
 */
export const hashKey = (key: string | Buffer, length?: number): number =>
  murmur2(typeof key === 'string' ? Buffer.from(key) : key, length);

const multiplier = 0x5bd1e995;
const wordBits = 32;
const maxAscii = 127;

const initialHash = (length: number): number => (0x9747b28c ^ length) | 0;

function mixWord(word: number): number {
  const k = Math.imul(word, multiplier);
  return Math.imul(k ^ (k >>> 24), multiplier);
}

const addWord = (hash: number, mixedWord: number): number => Math.imul(hash, multiplier) ^ mixedWord;
const addTail = (hash: number, tail: number): number => Math.imul(hash ^ tail, multiplier);

function finishHash(hash: number): number {
  const h = Math.imul(hash ^ (hash >>> 13), multiplier);
  return h ^ (h >>> 15);
}

/** murmur2, 32 bits, as in Kafka's Java client. */
function murmur2(data: Buffer, length = data.length): number {
  const end = length & ~3;
  let hash = initialHash(length);
  for (let offset = 0; offset < end; offset += 4) hash = addWord(hash, mixWord(data.readInt32LE(offset)));
  return finishHash(length > end ? addTail(hash, readTail(data, end, length)) : hash);
}

/** The bytes after the last whole word, as a number. */
function readTail(data: Buffer, from: number, to: number): number {
  let tail = 0;
  for (let offset = from; offset < to; offset++) tail |= (data[offset] ?? 0) << (8 * (offset - from));
  return tail;
}

/** Hashes keys that begin with one prefix, like `hashKey`. ASCII is hashed without being encoded first. */
export class PrefixedKeyHash {
  private readonly length: number;
  private readonly mixedWords: readonly number[];
  private readonly tail: number;
  private readonly tailBits: number;

  constructor(private readonly prefix: string) {
    const bytes = Buffer.from(prefix);
    const end = bytes.length & ~3;
    this.length = bytes.length;
    this.mixedWords = Array.from({ length: end / 4 }, (_, word) => mixWord(bytes.readInt32LE(word * 4)));
    this.tail = readTail(bytes, end, bytes.length);
    this.tailBits = 8 * (bytes.length - end);
  }

  /** The hash of the key that ends with this text. */
  hash(text: string): number {
    let hash = initialHash(this.length + text.length);
    for (const word of this.mixedWords) hash = addWord(hash, word);
    let [word, bits] = [this.tail, this.tailBits];
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > maxAscii) return hashKey(this.prefix + text);
      word |= unit << bits;
      bits += 8;
      if (bits < wordBits) continue;
      hash = addWord(hash, mixWord(word));
      word = bits = 0;
    }
    return finishHash(bits > 0 ? addTail(hash, word) : hash);
  }
}
