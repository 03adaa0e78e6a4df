import { type Random } from '@sluice/testing';
import { type Block, type Rejection, type StoredMessage } from '../block.js';
import { type Start, startOf } from '../committed.js';
import { type BlockStorage } from '../block-storage.js';
import { PartitionBlocks } from '../partition-blocks.js';
import { PartitionProtocol } from '../partition-protocol.js';
import { type Steps } from '../steps.js';
import { type Network } from './network.spec-support.js';
import { type Broker, kindOf, type Table } from './servers.spec-support.js';

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
    store: (block) => this.store(block),
    bury: (_, rejections) =>
      this.request(() => {
        this.table.letters.push(...rejections.map(({ message }) => message));
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
  /** The generation under which kafkajs' commit closures commit: that of the moment, not that of the block. */
  private generation = -1;
  private blocks: PartitionBlocks | undefined;
  private isDead = false;
  /** Positions of fetches under way; they outlive a rejoin. */
  private readonly fetches: bigint[] = [];

  constructor(
    private readonly network: Network,
    private readonly broker: Broker,
    private readonly table: Table,
    private readonly random: Random,
  ) {}

  get isJoining(): boolean {
    return !this.blocks;
  }

  /** SIGKILL: it receives and sends nothing any more; its requests stay on their way. */
  kill(): void {
    this.isDead = true;
    this.blocks?.end();
  }

  /** SIGTERM: no new block, the one under way is stored and confirmed. */
  stop(): void {
    void this.blocks?.finish();
  }

  /** kafkajs has the answer to JoinGroup, by REBALANCING or without. */
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
    this.begin(startOf(this.broker.committed, this.broker.range));
  }

  /** Frees its memory: messages that are not on their way to the table are fetched again. */
  letGo(): void {
    const { blocks } = this;
    const again = blocks?.steps.isPausing && blocks.protocol.again;
    if (blocks && again) {
      blocks.end();
      this.begin(again, blocks.steps);
    } else blocks?.protocol.rewind();
  }

  private begin(start: Start, steps?: Steps): void {
    const place = { topic: 't', partition: 0 };
    const protocol = new PartitionProtocol(place, start, { BLOCK_MAX_ROWS: 4, BLOCK_MAX_BYTES: 1_000 });
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
   * Does the same as a handler with a table that only appends: on a replay it asks which rows are stored, leaves out
   * unreadable ones, inserts the missing ones, and asks again, because a token can be remembered without its rows.
   */
  private async store({ id, messages, replay }: Block): Promise<Rejection[]> {
    const missing = replay ? await this.missing(messages) : messages;
    const unreadable = missing.filter((message) => kindOf(message) === 'unreadable');
    const rows = missing.filter((message) => !unreadable.includes(message));
    await this.insert(id, rows);
    let forgotten = replay ? await this.missing(rows) : [];
    for (let n = 2; forgotten.length > 0; n++) {
      await this.insert(`${id}#${n}`, forgotten);
      forgotten = await this.missing(rows);
    }
    return unreadable.map((message) => ({ message, reason: 'unreadable' }));
  }

  private missing(messages: readonly StoredMessage[]): Promise<readonly StoredMessage[]> {
    return this.request(() => messages.filter((one) => !this.table.holds(one)));
  }

  private insert(token: string, rows: readonly StoredMessage[]): Promise<void> {
    const isFatal = rows.length > 0 && this.random.chance(0.02);
    return this.request(() => {
      if (isFatal && !this.table.remembers(token)) this.table.dieOver(token);
      this.table.insert(token, rows);
    });
  }

  private request<T>(serve: () => T, isDue?: (answer: T) => boolean): Promise<T> {
    return this.isDead ? new Promise<T>(() => undefined) : this.network.send(serve, isDue);
  }
}
