import { type Random } from '@sluice/testing';
import { type Block, type Placement, type Rejection, type StoredMessage } from '../block.js';
import { type Start, findStart } from '../committed.js';
import { type BlockStorage } from '../block-storage.js';
import { PartitionBlocks } from '../partition-blocks.js';
import { PartitionProtocol } from '../partition-protocol.js';
import { type PartitionSteps } from '../partition-steps.js';
import { type Network } from './network.spec-support.js';
import { type Broker, readKind, type Shards } from './servers.spec-support.js';

const limits = { BLOCK_MAX_ROWS: 4, BLOCK_MAX_BYTES: 1_000 };

/** A fault of a process that the model must notice. */
export type Mutant = 'shard not in the intent' | 'look-up on one shard' | 'stale map';

/** A process of the group: the real protocol and its driver, with kafkajs' behaviour around them. */
export class SimulatedProcess {
  private readonly storage: BlockStorage = {
    commit: (_, commit) => {
      const { generation } = this;
      const answer = this.request(
        () => this.broker.commit(generation, commit),
        (isVisible) => isVisible(),
      );
      return answer.then(() => undefined);
    },
    canCommit: () => true,
    placement: () => this.placement,
    store: (block) => this.store(block),
    bury: (_, rejections) =>
      this.request(() => {
        this.shards.letters.push(...rejections.map(({ message }) => message));
      }),
    maxAgeMs: () => 1,
    isFilling: () => this.random.chance(0.3),
    turn: () => this.network.pause().then(() => () => undefined),
    retrying: () => undefined,
    recovered: () => undefined,
    progressed: () => undefined,
    passed: () => undefined,
    sleep: (_, signal) => this.network.pause(signal),
  };
  /** The generation under which kafkajs' commit closures commit: the present one, not that of the block. */
  private generation = -1;
  private blocks: PartitionBlocks | undefined;
  private isDead = false;
  /** Number of versions of the map that it knows. */
  private knownVersion: number;
  /** Positions of fetches under way; they outlive a rejoin. */
  private readonly fetches: bigint[] = [];

  constructor(
    private readonly network: Network,
    private readonly broker: Broker,
    private readonly shards: Shards,
    private readonly random: Random,
    private readonly mutant?: Mutant,
  ) {
    this.knownVersion = mutant === 'stale map' ? 1 : shards.versions.length;
  }

  /** The shard by the newest version of the map that it knows. */
  private get placement(): Placement | undefined {
    const shard = this.shards.versions[this.knownVersion - 1];
    return shard === undefined ? undefined : { shard, map: this.knownVersion };
  }

  /** Reads the next version of the map, if there is one. */
  learn(): void {
    if (!this.isDead && this.knownVersion < this.shards.versions.length) this.knownVersion += 1;
  }

  get isJoining(): boolean {
    return !this.blocks;
  }

  /** SIGKILL: it receives and sends nothing any more; its requests stay under way. */
  kill(): void {
    this.isDead = true;
    this.blocks?.end();
  }

  /** SIGTERM: no new block, the one under way is stored and confirmed. */
  stop(): void {
    void this.blocks?.finish();
  }

  /** kafkajs has the answer to JoinGroup, with or without a REBALANCING event before it. */
  beginJoin(): void {
    if (this.random.chance(0.5)) this.blocks?.confirmAndEnd();
    else this.blocks?.end();
    this.blocks = undefined;
  }

  /** kafkajs commits under the new generation from here on. */
  enterGeneration(): void {
    this.generation = ++this.broker.generation;
  }

  /** GROUP_JOIN: reads what is committed and begins. */
  beginPartition(): void {
    const { committed, range } = this.broker;
    if (this.mutant !== 'stale map') this.knownVersion = this.shards.versions.length;
    this.begin(findStart(committed, range));
  }

  /** Frees its memory: messages that are not on their way to the table are fetched again. */
  letGo(): void {
    const { blocks } = this;
    const again = blocks?.steps.isPausing && blocks.protocol.restart;
    if (blocks && again) {
      blocks.end();
      this.begin(again, blocks.steps);
    } else blocks?.protocol.rewind();
  }

  private begin(start: Start, steps?: PartitionSteps): void {
    const place = { topic: 't', partition: 0 };
    const protocol = new PartitionProtocol(place, start, limits, () => this.placement);
    this.blocks = new PartitionBlocks(protocol, this.storage, steps);
  }

  startFetch(): void {
    const { protocol } = this.blocks ?? {};
    if (protocol && !protocol.isFull && this.fetches.length < 2) this.fetches.push(protocol.position);
  }

  endFetch(): void {
    const from = this.fetches.splice(this.random.below(this.fetches.length), 1)[0];
    if (from === undefined || this.isDead) return;
    const messages = this.broker.fetch(from, 1 + this.random.below(8));
    const last = messages.at(-1);
    if (last) this.blocks?.append({ from, to: BigInt(last.offset) + 1n, messages });
  }

  /**
   * Works like the handler of a table that only appends: on a replay it asks which rows are stored, leaves out
   * unreadable ones, inserts the missing ones, and asks again, because a token can be remembered without its rows.
   */
  private async store(block: Block): Promise<Rejection[]> {
    const { id, messages, replay } = block;
    const shard = this.mutant === 'shard not in the intent' ? this.placement?.shard : block.shard;
    const missing = replay ? await this.missing(shard, messages) : messages;
    const unreadable = missing.filter((message) => readKind(message) === 'unreadable');
    const rows = missing.filter((message) => !unreadable.includes(message));
    await this.insert(shard, id, rows);
    let forgotten = replay ? await this.missing(shard, rows) : [];
    for (let n = 2; forgotten.length > 0; n++) {
      await this.insert(shard, `${id}#${n}`, forgotten);
      forgotten = await this.missing(shard, rows);
    }
    return unreadable.map((message) => ({ message, reason: 'unreadable' }));
  }

  /** Asks the given shard, and all on which a known version of the map has put the partition. */
  private async missing(
    shard: string | undefined,
    messages: readonly StoredMessage[],
  ): Promise<readonly StoredMessage[]> {
    const earlier = this.mutant === 'look-up on one shard' ? [] : this.shards.versions.slice(0, this.knownVersion);
    let missing = messages;
    for (const shardName of new Set([shard, ...earlier])) {
      const present = missing;
      missing = await this.request(() => present.filter((message) => !this.shards.table(shardName).holds(message)));
    }
    return missing;
  }

  private insert(shard: string | undefined, token: string, rows: readonly StoredMessage[]): Promise<void> {
    const isFatal = rows.length > 0 && this.random.chance(0.02);
    return this.request(() => {
      const table = this.shards.table(shard);
      if (isFatal && !table.remembers(token)) table.dieOver(token);
      table.insert(token, rows);
    });
  }

  private request<T>(serve: () => T, isDue?: (answer: T) => boolean): Promise<T> {
    return this.isDead ? new Promise<T>(() => undefined) : this.network.send(serve, isDue);
  }
}
