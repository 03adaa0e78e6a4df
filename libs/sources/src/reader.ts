import { CompactedTopicFollower, type Kafka } from '@sluice/kafka';
import { sourcesTopic } from './records.js';
import { SourceRegistry } from './registry.js';

/** Fills a registry from `sources.v1` and keeps it current: a change is seen within a second. */
export class SourceReader {
  readonly registry = new SourceRegistry();
  private readonly follower: CompactedTopicFollower;
  private complete = false;

  constructor(kafka: Kafka) {
    this.follower = new CompactedTopicFollower(kafka, sourcesTopic, ({ key, value }) => {
      this.registry.apply(key, value);
    });
  }

  /** Whether the registry has been read to its end once; before, "unknown source" means nothing. */
  get isComplete(): boolean {
    return this.complete;
  }

  /** Resolves when the registry is complete; it is followed from then on. */
  async start(): Promise<void> {
    await this.follower.start();
    this.complete = true;
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }
}
