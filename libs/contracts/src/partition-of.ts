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

/** murmur2, 32 bits, as in Kafka's Java client. */
function murmur2(data: Buffer, length = data.length): number {
  const m = 0x5bd1e995;
  const words = length >> 2;
  let h = (0x9747b28c ^ length) | 0;
  for (let word = 0; word < words; word++) {
    let k = Math.imul(data.readInt32LE(word * 4), m);
    k = Math.imul(k ^ (k >>> 24), m);
    h = Math.imul(h, m) ^ k;
  }
  const rest = words * 4;
  for (let left = length - rest - 1; left >= 0; left--) h ^= (data[rest + left] ?? 0) << (8 * left);
  if (length > rest) h = Math.imul(h, m);
  h = Math.imul(h ^ (h >>> 13), m);
  return h ^ (h >>> 15);
}
