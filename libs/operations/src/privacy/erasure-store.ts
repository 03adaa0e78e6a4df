import {
  CompactedTopicFollower,
  CompactedTopicWriter,
  ensureCompactedTopic,
  type Kafka,
  type KafkaConfig,
} from '@sluice/kafka';
import { type Erasure, erasuresTopic, parseErasure, recordOfErasure } from './erasure.js';

/** Members with new values; an undefined one is left out from then on. */
export type ErasureChange = { readonly [Name in keyof Erasure]?: Erasure[Name] | undefined };

/** Creates the topic of the erasures if it does not exist. */
export const ensureErasuresTopic = (kafka: Kafka, config: KafkaConfig): Promise<string[]> =>
  ensureCompactedTopic(kafka, config, erasuresTopic);

/** All erasures, read from `erasures.v1` and kept current; its writes are durable before they count. */
export class ErasureStore {
  private readonly erasures = new Map<string, Erasure>();
  private readonly follower: CompactedTopicFollower;
  private readonly writer: CompactedTopicWriter;
  /** Records that are not erasures of this version. */
  unreadable = 0;

  constructor(kafka: Kafka) {
    this.writer = new CompactedTopicWriter(kafka, erasuresTopic);
    this.follower = new CompactedTopicFollower(kafka, erasuresTopic, () => ({
      take: ({ key, value }) => this.take(key, value),
      caughtUp: () => undefined,
    }));
  }

  /** Resolves when all erasures are read. @throws when Kafka cannot be reached. */
  start(): Promise<void> {
    return this.follower.start();
  }

  /** Reads erasures as soon as Kafka can be reached. */
  follow(): void {
    this.follower.follow();
  }

  async stop(): Promise<void> {
    await Promise.all([this.follower.stop(), this.writer.stop()]);
  }

  /** All erasures, oldest first. */
  list(): Erasure[] {
    return [...this.erasures.values()].sort((a, b) => a.requestedAt.localeCompare(b.requestedAt));
  }

  find(request: string): Erasure | undefined {
    return this.erasures.get(request);
  }

  /** Writes a change. Resolves with the erasure when it is durable. */
  async put(erasure: Erasure, change: ErasureChange = {}): Promise<Erasure> {
    const changed = { ...erasure, ...change, revision: erasure.revision + 1 } as Erasure;
    await this.writer.write([recordOfErasure(changed)]);
    this.erasures.set(changed.request, changed);
    return changed;
  }

  private take(key: string, value: Buffer | null): void {
    if (value === null) {
      this.erasures.delete(key);
      return;
    }
    try {
      const erasure = parseErasure(key, value);
      // A record of this process may be read when it has already written a newer one.
      if (erasure.revision >= (this.erasures.get(key)?.revision ?? 0)) this.erasures.set(key, erasure);
    } catch {
      this.unreadable += 1;
    }
  }
}
