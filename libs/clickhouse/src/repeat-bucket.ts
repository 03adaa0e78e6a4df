import { partitionOf } from '@sluice/contracts';

const buckets = 48;
const usualPartitions = 12;

/**
 * `repeat_bucket` divides the Kafka keys by Kafka's own hash, so that the rows of one Kafka partition lie in
 * `buckets / gcd(buckets, partitions)` of them. The buckets of one of 12 partitions, the default, have adjacent numbers.
 */
export function bucketOf(key: Buffer): number {
  const hash = partitionOf(key, buckets);
  return (hash % usualPartitions) * (buckets / usualPartitions) + Math.floor(hash / usualPartitions);
}
