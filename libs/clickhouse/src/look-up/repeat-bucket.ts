import { partitionForKey } from '@sluice/contracts';

const buckets = 48;
const usualPartitions = 12;

/**
 * Value of `repeat_bucket` for a Kafka key. It uses Kafka's own hash, so that the rows of one Kafka partition lie in
 * few buckets: `buckets / gcd(buckets, partitions)`. With 12 partitions, the default, their numbers are adjacent.
 */
export function repeatBucket(key: Buffer): number {
  const hash = partitionForKey(key, buckets);
  return (hash % usualPartitions) * (buckets / usualPartitions) + Math.floor(hash / usualPartitions);
}
