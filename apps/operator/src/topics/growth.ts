/** Facts about a topic that is to get more partitions. */
export interface Growth {
  readonly topic: string;
  /** Partitions now. */
  readonly from: number;
  readonly to: number;
  /** Consumer group that stores the topic. */
  readonly group: string;
  /** Messages that the group has not stored yet. */
  readonly waiting: number;
}

/** Share of keys that change partition: the partition of a key is its hash modulo the number of partitions. */
export function movedShare({ from, to }: Pick<Growth, 'from' | 'to'>): number {
  const commonMultiple = (from / greatestCommonDivisor(from, to)) * to;
  return 1 - from / commonMultiple;
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));

/** Says what the growth means, one consequence a line. */
export function explainGrowth(growth: Growth): string[] {
  const { topic, from, to, group, waiting } = growth;
  const movedPercent = Math.round(movedShare(growth) * 100);
  return [
    `${topic} gets ${to} partitions instead of ${from}. Kafka cannot remove partitions again.`,
    `About ${movedPercent} % of its keys (users, entities) go to another partition from then on. Messages that are in Kafka stay where they are, so for a while those of one key are in two partitions; tables do not depend on their order.`,
    'Gateways repeat a message to the partition that they sent it to first, so they double nothing. A request that a client repeats with its Idempotency-Key goes to the new partition; the consumers look such copies up, and one can be stored twice until it merges only if its first copy still waits to be stored (docs/decisions/0010-exactly-once.md#limits).',
    waiting === 0
      ? `The group ${group} has stored everything, so no such message waits.`
      : `The group ${group} has ${waiting} messages to store, so such messages wait.`,
    'Gateways use the new partitions within a minute, consumers within a quarter of a minute; the group rebalances once.',
    `Set the same number in TOPIC_PARTITIONS or TOPIC_OVERRIDES (${topic}:partitions=${to}), which count when a topic is recreated.`,
  ];
}
