/** How long everything waits on the disk for an operator to create or allow a topic. */
const patienceMs = 60_000;
/** A topic that has not failed for so long begins anew. */
const memoryMs = 600_000;

/** The topics for which Kafka takes nothing, though it is there: they are unknown, or forbidden. */
export class FailingTopics {
  private readonly failures = new Map<string, { since: number; last: number }>();

  constructor(private readonly now = () => performance.now()) {}

  /** To be called at every failure. */
  failed(topic: string): void {
    const now = this.now();
    const known = this.failures.get(topic);
    const since = known && now - known.last < memoryMs ? known.since : now;
    this.failures.set(topic, { since, last: now });
  }

  /** To be called when Kafka has taken messages of the topic that were on the disk. */
  succeeded(topics: Iterable<string>): void {
    if (this.failures.size === 0) return;
    for (const topic of topics) this.failures.delete(topic);
  }

  /** It fails for over a minute: the others do not wait for it any more. */
  isGivenUp(topic: string): boolean {
    const known = this.failures.get(topic);
    return known !== undefined && known.last - known.since > patienceMs;
  }
}
