/** Time that all messages wait on the disk for an operator to create or allow a topic. */
const timeoutMs = 60_000;
/** Time without a failure after which earlier failures of a topic are forgotten. */
const memoryMs = 600_000;

/** Topics whose messages Kafka refuses although it is available: they are unknown or forbidden. */
export class FailingTopics {
  private readonly failures = new Map<string, { since: number; last: number }>();

  constructor(private readonly now = () => performance.now()) {}

  /** Must be called at every failure. */
  failed(topic: string): void {
    const now = this.now();
    const failure = this.failures.get(topic);
    const since = failure && now - failure.last < memoryMs ? failure.since : now;
    this.failures.set(topic, { since, last: now });
  }

  /** Must be called when Kafka has taken messages of the topics from the disk. */
  succeeded(topics: Iterable<string>): void {
    if (this.failures.size === 0) return;
    for (const topic of topics) this.failures.delete(topic);
  }

  /** Whether the topic has failed for over a minute: messages of other topics no longer wait for it. */
  isGivenUp(topic: string): boolean {
    const failure = this.failures.get(topic);
    return failure !== undefined && failure.last - failure.since > timeoutMs;
  }
}
