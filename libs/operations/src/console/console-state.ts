import { type CompactedRecord, CompactedTopicFollower, type Kafka, type RecordSink } from '@sluice/kafka';
import { type ConsoleRecords, consoleTopic, type RecordKind } from './records.js';

/** Users, links, masks and views, held in memory and fed with the records of `console.v1`. */
export class ConsoleState {
  private records = new Map<string, unknown>();

  get<K extends RecordKind>(kind: K, id: string): ConsoleRecords[K] | undefined {
    return this.records.get(`${kind}:${id}`) as ConsoleRecords[K] | undefined;
  }

  list<K extends RecordKind>(kind: K): ConsoleRecords[K][] {
    const found = [...this.records].filter(([key]) => key.startsWith(`${kind}:`));
    return found.map(([, value]) => value as ConsoleRecords[K]);
  }

  /** @throws SyntaxError, and changes nothing, when the value is not JSON. */
  apply({ key, value }: CompactedRecord): void {
    if (value === null) this.records.delete(key);
    else this.records.set(key, JSON.parse(value.toString()));
  }

  /** Takes over the records of the other state. Both share them from then on. */
  become(other: ConsoleState): void {
    this.records = other.records;
  }
}

/** Keeps a state current: a change is seen within a second. */
export class ConsoleReader {
  readonly state = new ConsoleState();
  private isRead = false;
  private readonly follower: CompactedTopicFollower;

  constructor(kafka: Kafka) {
    this.follower = new CompactedTopicFollower(kafka, consoleTopic, () => this.newSink());
  }

  /** Whether the topic was read. Before that, nobody is known. */
  get isComplete(): boolean {
    return this.isRead;
  }

  /** Resolves when the state is complete. @throws when Kafka cannot be reached. */
  start(): Promise<void> {
    return this.follower.start();
  }

  /** Starts in the background, retried until it succeeds. */
  follow(): void {
    this.follower.follow();
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  /** A reading fills a state of its own, so that an old record cannot bring back a revoked right for a moment. */
  private newSink(): RecordSink {
    let state = new ConsoleState();
    return {
      take: (record) => {
        state.apply(record);
      },
      caughtUp: () => {
        this.state.become(state);
        state = this.state;
        this.isRead = true;
      },
    };
  }
}
