import { type Admin, type Kafka } from '@sluice/kafkajs';
import { retry } from '@sluice/service';
import { hasNoLeader } from './transient-error.js';

const leaderTimeoutMs = 10_000;

/**
 * Lends an admin connection for as long as `use` takes. Requests for offsets are repeated while a partition is new or
 * its leader moves; kafkajs would give up at the first such answer.
 */
export function withAdmin<T>(kafka: Kafka, use: (admin: Admin) => Promise<T>): Promise<T> {
  return lendAdmin(kafka, (admin) => {
    const ask = <A>(request: (from: Admin) => Promise<A>): Promise<A> => askLeaders(kafka, admin, request);
    return use({
      ...admin,
      fetchTopicOffsets: (topic) => ask((from) => from.fetchTopicOffsets(topic)),
      fetchTopicOffsetsByTimestamp: (topic, ms) => ask((from) => from.fetchTopicOffsetsByTimestamp(topic, ms)),
    });
  });
}

/** Repeats a request on a new connection: an old one keeps asking the leaders that it knows. */
function askLeaders<T>(kafka: Kafka, admin: Admin, request: (from: Admin) => Promise<T>): Promise<T> {
  return retry((failures) => (failures === 0 ? request(admin) : lendAdmin(kafka, request)), {
    forMs: leaderTimeoutMs,
    while: hasNoLeader,
    firstPauseMs: 100,
    maxPauseMs: 200,
  });
}

/** Lends an admin connection that repeats nothing, for as long as `use` takes. */
export async function lendAdmin<T>(kafka: Kafka, use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}
