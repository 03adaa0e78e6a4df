import { type Kafka, RawGroup } from '@sluice/kafkajs';
import { errorCode, retry } from '@sluice/service';
import { withAdmin } from '../connection/admin.js';
import { isTransient } from '../connection/transient-error.js';

const coordinatorMs = 15_000;

/** Results of the commits of one member of a group. */
export interface GroupProbe {
  /** Metadata as it was read back; undefined without a commit. */
  readonly metadata: string | undefined;
  /** Error with which a commit of the generation before was refused; undefined when Kafka took it. */
  readonly lateCommit: string | undefined;
}

/**
 * Commits offsets with metadata under the present generation of a new group, and then under the one before. The group is
 * deleted.
 * @throws when Kafka does not answer, or refuses the group.
 */
export function probeGroup(kafka: Kafka, place: GroupPlace, metadata: string): Promise<GroupProbe> {
  // A Kafka that has had no group first makes the topic of the offsets.
  return retry(() => probeOnce(kafka, place, metadata), {
    forMs: coordinatorMs,
    while: isTransient,
    firstPauseMs: 200,
    maxPauseMs: 500,
  });
}

interface GroupPlace {
  readonly groupId: string;
  readonly topic: string;
}

async function probeOnce(kafka: Kafka, { groupId, topic }: GroupPlace, metadata: string): Promise<GroupProbe> {
  const group = await RawGroup.open(kafka, groupId);
  try {
    const dead = await group.join();
    const present = await group.join();
    if (present === dead) throw new Error('the group began no new generation');
    await group.commit(present, topic, { partition: 0, offset: '1', metadata });
    const answer = await group.committed(topic, 0);
    const lateCommit = await group.commit(dead, topic, { partition: 0, offset: '2', metadata: '' }).then(
      () => undefined,
      (error: unknown) => errorCode(error),
    );
    return { metadata: answer?.metadata, lateCommit };
  } finally {
    await group.close().catch(() => undefined);
    await withAdmin(kafka, (admin) => admin.deleteGroups([groupId])).catch(() => undefined);
  }
}
