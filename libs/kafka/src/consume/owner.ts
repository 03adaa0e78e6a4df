import { type Topic } from '@sluice/contracts';
import { type Kafka } from '@sluice/kafkajs';
import { type Starting, whenAvailable } from '@sluice/service';
import { withAdmin } from '../connection/admin.js';
import { type Commit } from '../protocol/committed.js';

/** Another database owns the offsets of this group. */
export class OtherOwnerError extends Error {
  override readonly name = 'OtherOwnerError';
}

/** A confirmation that names the database in which everything before it is stored. Intents name none. */
export const withOwner = ({ offset, metadata }: Commit, owner: string): Commit =>
  metadata?.startsWith('block:') === true
    ? { offset, metadata }
    : { offset, metadata: [`owner=${encodeURIComponent(owner)}`, ...(metadata ? [metadata] : [])].join(' ') };

/** The database that a commit names; undefined when it names none. */
export function parseOwner(metadata: string | null): string | undefined {
  const [, owner] = /^owner=([^ ]+)(?: |$)/.exec(metadata ?? '') ?? [];
  return owner && decodeURIComponent(owner);
}

/**
 * Call it before the consumer joins its group: with another database, this process would take partitions of the group
 * and store their events where no one looks for them. Waits while Kafka is unreachable.
 * @throws OtherOwnerError when offsets of the group were committed for another database
 */
export function refuseOtherOwner(
  starting: Starting,
  kafka: Kafka,
  { groupId, topics, owner }: { groupId: string; topics: readonly Topic[]; owner: string },
): Promise<void> {
  const names = topics.map(({ name }) => name);
  const check = async (): Promise<void> => {
    const commits = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId, topics: names }));
    const owners = commits.flatMap(({ partitions }) =>
      partitions.flatMap(({ metadata }) => parseOwner(metadata) ?? []),
    );
    const otherOwner = owners.find((candidate) => candidate !== owner);
    if (otherOwner === undefined) return;
    throw new OtherOwnerError(
      `the consumer group ${groupId} belongs to another database (${otherOwner}, this is ${owner}): give this installation ` +
        'a TOPIC_PREFIX, or see docs/operations.md#another-database',
    );
  };
  return whenAvailable(starting, 'kafka', check, (error) => error instanceof OtherOwnerError);
}
