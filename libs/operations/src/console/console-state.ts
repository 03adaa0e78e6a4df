import { type CompactedRecord, CompactedTopicFollower, type Kafka, type RecordSink } from '@sluice/kafka';
import { type ConsoleRecords, consoleTopic, type RecordKind } from './records.js';

interface HeldRecord {
  /** Undefined if it was removed here and the removal is not read yet. */
  readonly value: unknown;
  readonly offset: bigint;
}

/**
 * Users, links, masks and views, held in memory: fed with the records of `console.v1`, and with records written here as
 * soon as Kafka has them. An older record never replaces a newer one, because it could bring back a revoked right.
 */
export class ConsoleState {
  private records = new Map<string, HeldRecord>();
  /** Offset of the newest record that the reading took. */
  private newestOffset = -1n;
  get<K extends RecordKind>(kind: K, id: string): ConsoleRecords[K] | undefined {
    return this.records.get(`${kind}:${id}`)?.value as ConsoleRecords[K] | undefined;
  }

  /** Offset of the newest record that was read; what is written here does not count before it is read. */
  get readUpTo(): bigint {
    return this.newestOffset;
  }

  /** Offsets of the records of a kind that the predicate selects. */
  findOffsets<K extends RecordKind>(kind: K, isMatch: (record: ConsoleRecords[K]) => boolean): bigint[] {
    return [...this.records].flatMap(([key, { value, offset }]) =>
      key.startsWith(`${kind}:`) && value !== undefined && isMatch(value as ConsoleRecords[K]) ? [offset] : [],
    );
  }

  list<K extends RecordKind>(kind: K): ConsoleRecords[K][] {
    const keys = [...this.records.keys()].filter((key) => key.startsWith(`${kind}:`));
    return keys.flatMap((key) => this.get(kind, key.slice(kind.length + 1)) ?? []);
  }

  /** Takes the next record of the reading. @throws SyntaxError, and changes nothing, when the value is not JSON. */
  take({ key, value }: CompactedRecord, offset: bigint): void {
    const parsed: unknown = value === null ? undefined : JSON.parse(value.toString());
    this.newestOffset = offset;
    if ((this.records.get(key)?.offset ?? -1n) > offset) return;
    if (value === null) this.records.delete(key);
    else this.records.set(key, { value: parsed, offset });
  }

  /** Takes a record that was written here. The reading may have taken it already, or a newer record of its key. */
  takeWritten({ key, value }: CompactedRecord, offset: bigint): void {
    if (offset <= this.newestOffset) return;
    this.records.set(key, { value: value === null ? undefined : JSON.parse(value.toString()), offset });
  }

  /** One reading of the topic. It fills a state of its own, which replaces this one when it has caught up. */
  startReading(): RecordSink {
    const fresh = new ConsoleState();
    let isCurrent = false;
    return {
      take: (record, offset) => {
        if (isCurrent) this.take(record, offset);
        else fresh.take(record, offset);
      },
      caughtUp: () => {
        this.replaceWith(fresh);
        isCurrent = true;
      },
    };
  }

  /** Takes over the records of the other state, and keeps those written here that neither reading has reached. */
  private replaceWith(fresh: ConsoleState): void {
    const isAhead = ([, { offset }]: [string, HeldRecord]): boolean =>
      offset > this.newestOffset && offset > fresh.newestOffset;
    this.records = new Map([...fresh.records, ...[...this.records].filter(isAhead)]);
    this.newestOffset = fresh.newestOffset;
  }
}

/** Keeps a state current: a change is seen within a second. */
export class ConsoleReader {
  readonly state = new ConsoleState();
  private wasRead = false;
  private readonly follower: CompactedTopicFollower;

  constructor(kafka: Kafka) {
    this.follower = new CompactedTopicFollower(kafka, consoleTopic, () => this.makeSink());
  }

  /** True once the topic was read. Before that, no user is known. */
  get isComplete(): boolean {
    return this.wasRead;
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

  private makeSink(): RecordSink {
    const sink = this.state.startReading();
    return {
      ...sink,
      caughtUp: (newestOffset) => {
        sink.caughtUp(newestOffset);
        this.wasRead = true;
      },
    };
  }
}
