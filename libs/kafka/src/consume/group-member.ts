import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { retry } from '@sluice/service';
import { type Consumer, type EachBatchPayload, type Kafka, rebalanceTimeoutMs } from '@sluice/kafkajs';
import { AssignedPartition } from './assigned-partition.js';
import { partitionKey, type TopicPartition } from '../protocol/block.js';
import { beginning, type Commit, type Loss, findLosses, type Start, findStart } from '../protocol/committed.js';
import { type BlockConfig } from '../connection/config.js';
import { connectForGood } from './connect-for-good.js';
import { endOnCrash } from './end-on-crash.js';
import { Fetching } from './fetching.js';
import { FormerLogs, type OnLoss } from '../logs/former-logs.js';
import { type LogEnds, type TopicIdMap } from '../logs/log-ends.js';
import { type BlockStorage } from '../protocol/block-storage.js';
import { RecreationCheck } from './recreation-check.js';
import { type Assigned, type Assignment, readAssigned, readLog } from '../logs/read-assigned.js';

const offsetPauses = { firstPauseMs: 500, maxPauseMs: 500 };
/** Time that a fetch waits for messages, and that kafkajs sleeps while all partitions are paused. */
const maxWaitMs = 250;
const balanceMs = 1_000;

/** Events of a member's partitions that the consumer counts and logs. */
export interface MemberEvents {
  readonly lost: OnLoss;
  /** Called with the partitions of a new generation before any begins; when it rejects, it is called again. */
  assigned(partitions: readonly Assigned[]): Promise<void>;
  /** Called when a block of an earlier owner is replayed. */
  replays(place: TopicPartition): void;
}

/**
 * A member of a consumer group: follows kafkajs through joins and rebalances, and keeps an AssignedPartition for each
 * partition of the present generation. Everything of a generation is over before kafkajs can commit under the next.
 */
export class GroupMember {
  private readonly logger = new Logger(GroupMember.name);
  private readonly consumer: Consumer;
  private readonly partitions = new Map<string, AssignedPartition>();
  private readonly fetching: Fetching;
  /** The present generation, aborted when it ends; undefined between two of them. */
  private generation: AbortController | undefined;
  private readonly formerLogs: FormerLogs;
  /** Commits for any partition, under the present generation; kafkajs gives this function with the first batch. */
  private commitOffsets: EachBatchPayload['commitOffsetsIfNecessary'] | undefined;
  private readonly stopping = new AbortController();
  private isReady = false;
  private lastSignAt = performance.now();
  private balancing: NodeJS.Timeout | undefined;
  private topics: readonly string[] = [];
  private readonly recreation = new RecreationCheck(
    () => this.logEnds.readIds(this.topics),
    () => this.present.some(({ logId }) => logId !== undefined),
    { onAsking: () => this.balance(), onAnswered: (ids) => this.resume(ids) },
  );

  constructor(
    private readonly kafka: Kafka,
    private readonly groupId: string,
    private readonly config: BlockConfig,
    private readonly storage: BlockStorage,
    private readonly events: MemberEvents,
    private readonly logEnds: LogEnds,
  ) {
    this.formerLogs = new FormerLogs(logEnds.knownEnds, events.lost);
    this.consumer = kafka.consumer({
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: config.KAFKA_SESSION_TIMEOUT_MS,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: Math.min(2_000, config.KAFKA_SESSION_TIMEOUT_MS / 4),
      maxWaitTimeInMs: maxWaitMs,
      maxBytesPerPartition: 4 * 1024 * 1024,
      // A message keeps the whole answer that it came in, for up to three seconds (gathered.ts).
      maxBytes: 4 * 1024 * 1024,
      metadataMaxAge: 15_000, // how long new partitions stay unnoticed
    });
    this.fetching = new Fetching(this.consumer, config.BLOCK_BUFFER_BYTES);
  }

  /** The number of its partitions; undefined while it is joining. */
  get assigned(): number | undefined {
    return this.isReady ? this.partitions.size : undefined;
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Milliseconds since kafkajs' last sign of life: a request, a failed one, or an attempt to start again. */
  get silentMs(): number {
    return performance.now() - this.lastSignAt;
  }

  /** The partitions of the present generation. */
  get present(): readonly AssignedPartition[] {
    return [...this.partitions.values()];
  }

  /** Must be called after each look at the ends of all logs. */
  afterLook(): void {
    if (!this.isReady) return;
    this.formerLogs.afterLook(this.logEnds.ids);
    this.compare(this.logEnds.ids);
    for (const partition of this.partitions.values())
      if (partition.isLogShorter(this.logEnds.end(partition.place))) this.realign(partition, true);
  }

  async start(topics: string[]): Promise<void> {
    this.topics = topics;
    this.recreation.start();
    this.follow();
    this.balancing = setInterval(() => {
      for (const { place, protocol, losses } of this.partitions.values()) {
        protocol.unshareMemory();
        this.count(place, losses.overdue());
      }
      this.balance();
    }, balanceMs);
    await connectForGood(this.consumer, topics, this.stopping.signal);
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 8,
      eachBatch: (payload) => {
        this.take(payload);
        return Promise.resolve();
      },
    });
  }

  /** Begins no further block, stores and confirms those under way within `graceMs`, and leaves the group. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    clearInterval(this.balancing);
    this.recreation.stop();
    this.balance();
    const finished = Promise.all([...this.partitions.values()].map(({ blocks }) => blocks.finish()));
    await Promise.race([finished, sleep(graceMs, undefined, { ref: false })]);
    this.endGeneration();
    await this.consumer.disconnect();
  }

  private follow(): void {
    const { events } = this.consumer;
    const noteSign = () => {
      this.lastSignAt = performance.now();
    };
    for (const event of [events.FETCH_START, events.REQUEST_TIMEOUT, events.CONNECT] as const) {
      this.consumer.on(event, noteSign);
    }
    // The event of an answered request. kafkajs commits under the new generation from the answer to SyncGroup on, which
    // follows JoinGroup. GROUP_JOIN would be a few microtasks too late.
    this.consumer.on(events.REQUEST, ({ payload: { apiName } }) => {
      noteSign();
      if (apiName === 'JoinGroup') this.endGeneration();
    });
    this.consumer.on(events.REBALANCING, () => {
      for (const { blocks } of this.partitions.values()) blocks.confirmAndEnd();
      this.endGeneration();
    });
    this.consumer.on(events.STOP, () => this.endGeneration());
    this.consumer.on(events.GROUP_JOIN, ({ payload: { memberAssignment } }) => this.beginGeneration(memberAssignment));
    this.consumer.on(events.START_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize === 0) this.pass(payload);
    });
    this.consumer.on(events.CRASH, () => {
      noteSign();
      this.endGeneration();
    });
    endOnCrash(this.consumer);
  }

  private endGeneration(): void {
    this.generation?.abort();
    this.generation = undefined;
    this.commitOffsets = undefined;
    this.isReady = false;
    for (const partition of this.partitions.values()) {
      partition.blocks.end();
      this.formerLogs.leave(partition.lastState);
    }
    this.partitions.clear();
  }

  private beginGeneration(assignment: Assignment): void {
    this.endGeneration();
    this.generation = new AbortController();
    const { signal } = this.generation;
    this.fetching.pauseAll(assignment);
    void this.untilDone(signal, async () => {
      const topics = Object.keys(assignment);
      const idsBefore = await this.logEnds.readIds(topics);
      const assigned = await readAssigned(this.kafka, this.groupId, assignment);
      await this.events.assigned(assigned);
      const ids = idsBefore.size > 0 ? await this.logEnds.readIds(topics) : idsBefore;
      if (signal.aborted) return;
      if (ids.size > 0 && topics.some((topic) => ids.get(topic) !== idsBefore.get(topic))) {
        throw new Error('a topic was recreated at the same time');
      }
      for (const { topic, partition, partitions, committed, log } of assigned) {
        const place = { topic, partition };
        this.logEnds.setPartitionCount(topic, partitions);
        const logId = ids.get(topic);
        if (this.formerLogs.assign(place, committed, log, logId)) this.warnOfOtherLog(place);
        const begunPartition = this.begin(place, findStart(committed, log), logId);
        begunPartition.hasCommitted = BigInt(committed.offset) >= 0n;
        begunPartition.losses.replace(findLosses(committed, log));
      }
      this.isReady = true;
      this.balance();
    });
  }

  private begin(place: TopicPartition, start: Start, logId: string | undefined): AssignedPartition {
    if (start.intent) this.events.replays(place);
    const partition = new AssignedPartition(place, start, this.config, this.storage);
    partition.logId = logId;
    this.partitions.set(partitionKey(place), partition);
    this.fetching.seek(partition);
    return partition;
  }

  /** False until kafkajs has given the function that commits, with the first batch of a generation. */
  get canCommit(): boolean {
    return this.commitOffsets !== undefined;
  }

  /**
   * Commits for a partition. kafkajs reads the generation in the tick of this call.
   * @throws what Kafka answers; also before the first fetch, and after a standstill.
   */
  async commit(place: TopicPartition, { offset, metadata }: Commit): Promise<void> {
    if (!this.commitOffsets) throw new Error('nothing was fetched yet');
    if (this.recreation.checkUnsure()) throw new Error('the topic may have been recreated');
    const assigned = this.partitions.get(partitionKey(place));
    // The next owner would take an offset of the former log for one of the new log.
    if (assigned?.isReplaced) return;
    const partitions = [{ partition: place.partition, offset, metadata }];
    await this.commitOffsets({ topics: [{ topic: place.topic, partitions }] });
    if (!assigned) return;
    assigned.hasCommitted = true;
    this.count(place, assigned.losses.passedBy(BigInt(offset)));
  }

  private count(place: TopicPartition, losses: readonly Loss[]): void {
    for (const loss of losses) this.events.lost(place, loss);
  }

  /** True when more of the partition's log is about to be fetched. */
  isFilling(place: TopicPartition): boolean {
    const partition = this.partitions.get(partitionKey(place));
    return partition !== undefined && this.fetching.isFilling(partition);
  }

  /** Brings parked partitions of a topic back at once, because a step that had failed works again. */
  recovered(place: TopicPartition): void {
    const { topic } = place;
    this.partitions.get(partitionKey(place))?.trust();
    for (const partition of this.partitions.values())
      if (partition.topic === topic && partition.parkedUntil !== undefined) partition.trust();
  }

  /** Appends a batch and returns at once: kafkajs' next fetch waits until every partition's batch is taken. */
  private take(payload: EachBatchPayload): void {
    const partition = this.partitions.get(partitionKey(payload.batch));
    if (!partition || this.isStopping || this.recreation.checkUnsure() || partition.isReplaced) return;
    this.commitOffsets = (offsets) => payload.commitOffsetsIfNecessary(offsets);
    const taking = partition.take(payload);
    if (taking !== 'taken') this.realign(partition, taking === 'other-log');
    this.balance();
  }

  private pass(batch: TopicPartition & { firstOffset: string | null; lastOffset: string }): void {
    if (this.recreation.checkUnsure()) return;
    const last = BigInt(batch.lastOffset);
    const first = batch.firstOffset === null ? last : BigInt(batch.firstOffset);
    this.partitions.get(partitionKey(batch))?.protocol.skipEmptyOffsets(first, last + 1n);
  }

  /** Corrects where kafkajs fetches after a rejoin or an offset out of range; begins the log of a recreated topic. */
  private realign(partition: AssignedPartition, isOtherLog: boolean): void {
    const signal = this.generation?.signal;
    if (partition.isRealigning || !signal) return;
    partition.isRealigning = true;
    void this.untilDone(signal, async () => {
      const { place } = partition;
      const logId = (await this.logEnds.readIds([place.topic])).get(place.topic);
      const log = await readLog(this.kafka, place);
      if (signal.aborted) return;
      const { protocol, blocks } = partition;
      const isOther = isOtherLog || protocol.position > BigInt(log.high);
      if (isOther && !partition.canBecome(logId)) throw new Error('the id of the new topic is not known yet');
      partition.isRealigning = false;
      if (isOther) {
        this.warnOfOtherLog(place);
        this.formerLogs.replace(partition.lastState, log);
        blocks.end();
        this.begin(place, beginning(log), logId);
      } else {
        const [from, to] = [protocol.position, BigInt(log.low)];
        if (from < to) this.events.lost(place, { from, to, state: 'waiting' });
        protocol.skipTo(to);
        this.fetching.seek(partition);
      }
      this.balance();
    });
  }

  /** Finds the partitions whose topic has another id than the log that they read. */
  private compare(ids: TopicIdMap): void {
    for (const partition of this.partitions.values()) {
      const id = ids.get(partition.topic);
      partition.logId ??= id;
      partition.isReplaced = id !== undefined && id !== partition.logId;
      // Held messages outlive their topic and come first.
      if (partition.isReplaced && partition.isDrained) this.realign(partition, true);
    }
  }

  /** Continues fetching once the ids of the topics are known. */
  private resume(ids: TopicIdMap): void {
    this.compare(ids);
    // Batches that came in the meantime were not taken.
    for (const partition of this.partitions.values()) this.fetching.seek(partition);
    this.balance();
  }

  private warnOfOtherLog(place: TopicPartition): void {
    this.logger.warn({ msg: 'the topic was recreated; reading it from its beginning', ...place });
  }

  /** Decides again which partitions are fetched. */
  balance(): void {
    const { isStopping, recreation } = this;
    this.fetching.balance([...this.partitions.values()], { isStopping, isUnsure: recreation.checkUnsure() });
  }

  /** Repeats the work until it succeeds or the generation is over. */
  private async untilDone(generation: AbortSignal, work: () => Promise<void>): Promise<void> {
    const onFailure = ({ error }: { error: unknown }): void =>
      this.logger.warn({ msg: 'offsets could not be read, trying again', error: String(error) });
    try {
      await retry(work, { ...offsetPauses, signal: generation, onFailure });
    } catch (error) {
      if (!generation.aborted) throw error;
    }
  }
}
