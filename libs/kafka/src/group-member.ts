import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { AssignedPartition } from './assigned-partition.js';
import { type Place } from './block.js';
import { beginning, type Start, startOf } from './committed.js';
import { type BlockConfig } from './config.js';
import { endOnCrash } from './end-on-crash.js';
import { FetchLanes } from './fetch-lanes.js';
import { rebalanceTimeoutMs } from './kafkajs/sync-group.js';
import { type BlockPorts } from './partition-blocks.js';
import { type Assignment, readAssigned, readLog } from './read-assigned.js';

const retryMs = 500;
/** Also how long kafkajs sleeps before it looks again when all partitions are paused. */
const maxWaitMs = 250;
const balanceMs = 1_000;

/** What a partition needs beside commits, which are the group's. */
export type PartitionPorts = (place: Place, start: Start) => Omit<BlockPorts, 'commit' | 'isFilling' | 'progressed'>;

/**
 * A member of a consumer group: follows kafkajs through joins and rebalances, and keeps an AssignedPartition for each
 * partition of the present generation. Everything of a generation is over before kafkajs can commit under the next.
 */
export class GroupMember {
  private readonly logger = new Logger(GroupMember.name);
  private readonly consumer: Consumer;
  private readonly partitions = new Map<string, AssignedPartition>();
  private readonly lanes = new FetchLanes<AssignedPartition>();
  /** Identifies the present generation; undefined between two of them. */
  private generation: symbol | undefined;
  private isOverBudget = false;
  private isStopping = false;
  private isReady = false;
  private lastSignAt = Date.now();
  private balancing: NodeJS.Timeout | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly groupId: string,
    private readonly config: BlockConfig,
    private readonly portsOf: PartitionPorts,
  ) {
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
  }

  /** How many partitions it has; undefined while it is joining. */
  get assigned(): number | undefined {
    return this.isReady ? this.partitions.size : undefined;
  }

  /** How long kafkajs has shown no sign of life: no request, no failed one, no attempt to start again. */
  get silentMs(): number {
    return Date.now() - this.lastSignAt;
  }

  /** The partitions of the present generation. */
  get present(): readonly AssignedPartition[] {
    return [...this.partitions.values()];
  }

  async start(topics: string[]): Promise<void> {
    this.follow();
    this.balancing = setInterval(() => {
      for (const { protocol } of this.partitions.values()) protocol.age();
      this.balance();
    }, balanceMs);
    await this.consumer.connect();
    await this.consumer.subscribe({ topics, fromBeginning: true });
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

  /** Begins no block any more, stores and confirms those under way if that takes no longer than `graceMs`, and leaves. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    clearInterval(this.balancing);
    this.balance();
    const finished = Promise.all([...this.partitions.values()].map(({ blocks }) => blocks.finish()));
    await Promise.race([finished, sleep(graceMs, undefined, { ref: false })]);
    this.endGeneration();
    await this.consumer.disconnect();
  }

  private follow(): void {
    const { events } = this.consumer;
    const sign = () => {
      this.lastSignAt = Date.now();
    };
    for (const event of [events.FETCH_START, events.REQUEST_TIMEOUT, events.CONNECT] as const) {
      this.consumer.on(event, sign);
    }
    // kafkajs makes the new generation the one it commits under after the answer to SyncGroup, which it sends after
    // this answer. GROUP_JOIN would be a few microtasks too late.
    this.consumer.on(events.REQUEST, ({ payload: { apiName } }) => {
      sign();
      if (apiName === 'JoinGroup') this.endGeneration();
    });
    this.consumer.on(events.REBALANCING, () => {
      for (const { blocks } of this.partitions.values()) blocks.endAtRest();
      this.endGeneration();
    });
    this.consumer.on(events.STOP, () => {
      this.endGeneration();
    });
    this.consumer.on(events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
      this.beginGeneration(memberAssignment);
    });
    this.consumer.on(events.START_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize === 0) this.pass(payload);
    });
    this.consumer.on(events.CRASH, () => {
      sign();
      this.endGeneration();
    });
    endOnCrash(this.consumer);
  }

  private endGeneration(): void {
    this.generation = undefined;
    this.isReady = false;
    for (const { blocks } of this.partitions.values()) blocks.end();
    this.partitions.clear();
  }

  private beginGeneration(assignment: Assignment): void {
    this.endGeneration();
    const generation = Symbol('generation');
    this.generation = generation;
    for (const [topic, partitions] of Object.entries(assignment)) {
      this.consumer.resume([{ topic }]);
      this.consumer.pause([{ topic, partitions: [...partitions] }]);
    }
    void this.untilDone(generation, async () => {
      const assigned = await readAssigned(this.kafka, this.groupId, assignment);
      if (this.generation !== generation) return;
      for (const { topic, partition, committed, log } of assigned) {
        this.begin({ topic, partition }, startOf(committed, log));
      }
      this.isReady = true;
      this.balance();
    });
  }

  private begin(place: Place, start: Start): void {
    const progressed = () => {
      this.balance();
    };
    const isFilling = (one: AssignedPartition) => this.lanes.isFilling(one);
    const ports = { ...this.portsOf(place, start), isFilling, progressed };
    const partition = new AssignedPartition(place, start, this.config, ports, (batch, pauseMs) => {
      const { code, first, last } = batch;
      this.logger.error({
        msg: 'a batch cannot be decoded: its partition stands still',
        ...place,
        code,
        first: String(first),
        last: String(last),
        cause: batch.cause instanceof Error ? batch.cause.message : undefined,
        pauseMs,
      });
    });
    this.partitions.set(keyOf(place), partition);
    this.consumer.seek({ ...place, offset: String(start.position) });
  }

  /** Only appends: kafkajs fetches several partitions together and the next fetch waits for every handler. */
  private take(payload: EachBatchPayload): void {
    const partition = this.partitions.get(keyOf(payload.batch));
    if (!partition || this.isStopping) return;
    const taking = partition.take(payload);
    if (taking !== 'taken') this.realign(partition, taking === 'other-log');
    this.balance();
  }

  private pass(batch: Place & { firstOffset: string | null; lastOffset: string }): void {
    const last = BigInt(batch.lastOffset);
    const first = batch.firstOffset === null ? last : BigInt(batch.firstOffset);
    this.partitions.get(keyOf(batch))?.protocol.pass(first, last + 1n);
  }

  /** kafkajs fetches elsewhere than where we are: after a rejoin, or because it found our offset out of range. */
  private realign(partition: AssignedPartition, isOtherLog: boolean): void {
    const { generation } = this;
    if (partition.isRealigning || !generation) return;
    partition.isRealigning = true;
    void this.untilDone(generation, async () => {
      const { place, protocol, blocks } = partition;
      const log = await readLog(this.kafka, place);
      if (this.generation !== generation) return;
      partition.isRealigning = false;
      if (isOtherLog || protocol.position > BigInt(log.high)) {
        this.logger.warn({ msg: 'the topic was created anew; reading it from its beginning', ...place });
        blocks.end();
        this.begin(place, beginning(log));
      } else {
        protocol.skipTo(BigInt(log.low));
        this.consumer.seek({ ...place, offset: String(protocol.position) });
      }
      this.balance();
    });
  }

  /** Fetches what is next in line and not full, and when the buffers are full nearly nothing. */
  private balance(): void {
    const all = [...this.partitions.values()];
    const held = all.reduce((sum, { protocol }) => sum + protocol.heldBytes, 0);
    const { BLOCK_BUFFER_BYTES: budget } = this.config;
    this.isOverBudget = held > (this.isOverBudget ? budget * 0.8 : budget);
    if (this.isOverBudget) hurryLargest(all);
    // A replay needs all of its block before anything of it can go: one at a time goes on.
    const first = this.isOverBudget ? all.find(({ protocol, isFull }) => protocol.isReplaying && !isFull) : undefined;
    const wanted = this.lanes.choose(all);
    for (const partition of all) {
      const isHeldBack = this.isOverBudget ? partition !== first : !wanted.has(partition);
      this.setPaused(partition, this.isStopping || partition.isRealigning || isHeldBack);
    }
  }

  private setPaused(partition: AssignedPartition, isPaused: boolean): void {
    if (partition.isPaused === isPaused) return;
    partition.isPaused = isPaused;
    const { topic, partition: number } = partition.place;
    const partitions = [{ topic, partitions: [number] }];
    if (isPaused) this.consumer.pause(partitions);
    else this.consumer.resume(partitions);
  }

  private async untilDone(generation: symbol, work: () => Promise<void>): Promise<void> {
    while (this.generation === generation) {
      try {
        await work();
        return;
      } catch (error) {
        this.logger.warn({ msg: 'offsets could not be read, trying again', error: String(error) });
        await sleep(retryMs);
      }
    }
  }
}

/** When memory is short, and nothing is on its way out, a block must go that is not full. */
function hurryLargest(partitions: readonly AssignedPartition[]): void {
  if (partitions.some(({ protocol }) => protocol.isStoring || protocol.isFull)) return;
  const [largest] = partitions
    .filter(({ protocol }) => !protocol.isReplaying)
    .sort((a, b) => b.protocol.heldBytes - a.protocol.heldBytes);
  largest?.blocks.hurry();
}

const keyOf = ({ topic, partition }: Place): string => `${topic}:${partition}`;
