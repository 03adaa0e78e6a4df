import { type Admin, type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';

/** A topic and the consumer group that stores it. */
export interface ConsumedTopic {
  readonly topic: string;
  readonly group: string;
}

/** The lag of a group behind a topic. */
export interface GroupLag extends ConsumedTopic {
  /** Processes that are in the group now. */
  readonly members: number;
  /** Unconfirmed messages. */
  readonly messages: number;
  /** Partitions with unconfirmed messages. */
  readonly behind: PartitionLag[];
  /** Time at which Kafka took the oldest one, milliseconds since 1970, to the second; undefined when there is none. */
  readonly oldestAt: number | undefined;
}

export interface PartitionLag {
  readonly partition: number;
  readonly messages: number;
  /** Wait of the oldest of them, milliseconds: at least this, less than twice this. 0 below a second. */
  readonly waitsMs: number;
}

const stepMs = 1_000;

/** The lag of topics that exist. */
export function readLag(kafka: Kafka, consumed: readonly ConsumedTopic[]): Promise<GroupLag[]> {
  return withAdmin(kafka, async (admin) => {
    const groups = [...new Set(consumed.map(({ group }) => group))];
    const { groups: described } = await admin.describeGroups(groups);
    const members = new Map(described.map((group) => [group.groupId, group.members.length]));
    return Promise.all(
      consumed.map((consumedTopic) => readTopicLag(admin, consumedTopic, members.get(consumedTopic.group) ?? 0)),
    );
  });
}

async function readTopicLag(admin: Admin, { topic, group }: ConsumedTopic, members: number): Promise<GroupLag> {
  // Reads the commits first: the end of the log must not be older than they are.
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  const log = await admin.fetchTopicOffsets(topic);
  const unstored = log.map(({ partition, low, high }) => {
    const offset = BigInt(committed?.partitions.find((commit) => commit.partition === partition)?.offset ?? -1);
    // Without a commit, or with one that retention has passed, the log is read from its beginning.
    const from = offset < BigInt(low) ? BigInt(low) : offset;
    return { partition, from, messages: Number(BigInt(high) - from) };
  });
  const behind = unstored.filter(({ messages }) => messages > 0).sort((a, b) => a.partition - b.partition);
  const { oldestAt, waitsMs } = await findOldest(admin, topic, behind);
  return {
    topic,
    group,
    members,
    messages: behind.reduce((sum, { messages }) => sum + messages, 0),
    behind: behind.map(({ partition, messages }) => ({ partition, messages, waitsMs: waitsMs.get(partition) ?? 0 })),
    oldestAt: behind.length === 0 ? undefined : oldestAt,
  };
}

/**
 * Time of the oldest message at or after these offsets, and approximate wait in each partition. Kafka maps times to
 * offsets and not the reverse, so this searches back in growing steps, then bisects; it reads no message and joins no
 * group.
 */
export async function findOldest(
  admin: Admin,
  topic: string,
  starts: readonly { partition: number; from: bigint }[],
): Promise<{ oldestAt: number; waitsMs: ReadonlyMap<number, number> }> {
  const waitsMs = new Map<number, number>();
  const unstoredBefore = async (time: number): Promise<number[]> => {
    const firstSince = await admin.fetchTopicOffsetsByTimestamp(topic, time);
    const offsets = new Map(firstSince.map(({ partition, offset }) => [partition, BigInt(offset)]));
    return starts
      .filter(({ partition, from }) => (offsets.get(partition) ?? from) > from)
      .map(({ partition }) => partition);
  };
  const now = Date.now();
  let age = stepMs;
  for (; starts.length > 0 && age < now; age *= 2) {
    const unstored = await unstoredBefore(now - age);
    if (unstored.length === 0) break;
    for (const partition of unstored) waitsMs.set(partition, age);
  }
  let [older, newer] = [Math.max(0, now - age), now - (age > stepMs ? age / 2 : 0)];
  while (starts.length > 0 && newer - older > stepMs) {
    const middle = Math.floor((older + newer) / 2);
    if ((await unstoredBefore(middle)).length > 0) newer = middle;
    else older = middle;
  }
  return { oldestAt: older, waitsMs };
}
