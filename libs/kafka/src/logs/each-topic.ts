/**
 * Does the work for each topic. `work` must use an admin of its own: kafkajs asks for the metadata of all topics of an
 * admin at once, and a deleted one would fail all. @throws the first failure, after the work for all others.
 */
export async function forEachTopic(topics: readonly string[], work: (topic: string) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const topic of topics) {
    try {
      await work(topic);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
