import {
  type Block,
  type BlockLimits,
  type BlockRange,
  createBlock,
  cut,
  type TopicPartition,
  type Placement,
  requireRange,
  type StoredMessage,
} from './block.js';
import { type Commit, makeConfirmation, makeIntent, type Start } from './committed.js';
import { Gathered } from './gathered.js';

/** Messages that one request fetched from the offsets `from` to `to`, which may have holes. */
export interface FetchedBatch {
  readonly from: bigint;
  /** The offset after the last one. */
  readonly to: bigint;
  readonly messages: readonly StoredMessage[];
}

/**
 * - `taken`: the batch continues the messages before it.
 * - `misplaced`: the batch was not fetched at our position, and was ignored.
 * - `other-log`: the message at the open intent is not the one that the intent names; the topic was recreated.
 */
export type AppendResult = 'taken' | 'misplaced' | 'other-log';

/**
 * The block protocol of one partition within one generation, without clock and I/O: which block comes next and
 * what is committed around it. Stated in docs/decisions/0010-exactly-once.md.
 */
export class PartitionProtocol {
  private readonly gathered = new Gathered();
  private pieces: Block[] = [];
  private current: Block | undefined;
  private currentRange: BlockRange | undefined;
  private intent: BlockRange | undefined;
  private readonly replayBelow: bigint;
  private nextOffset: bigint;
  private isUnconfirmed = false;

  constructor(
    readonly place: TopicPartition,
    start: Start,
    private readonly limits: BlockLimits,
    /** Asked for each block that begins, and for each commit. */
    private readonly placement: () => Placement | undefined = () => undefined,
  ) {
    this.nextOffset = start.position;
    this.intent = start.intent;
    this.replayBelow = start.replayBelow;
    this.isUnconfirmed = start.isSkipped ?? false;
  }

  /** The offset of the next message to fetch. */
  get position(): bigint {
    return this.nextOffset;
  }

  /** True until the block of an open intent is complete. */
  get isReplaying(): boolean {
    return this.intent !== undefined && this.nextOffset <= BigInt(this.intent.last);
  }

  /** True when the next block is complete; more messages would only take memory. */
  get isFull(): boolean {
    return !this.isReplaying && this.gathered.fills(this.limits);
  }

  /** True while a block is being stored. */
  get isStoring(): boolean {
    return this.current !== undefined;
  }

  /** Memory that the messages take, those of the block under way included. */
  get heldBytes(): number {
    return this.gathered.heldBytes;
  }

  /** The part of `heldBytes` that messages take which are not in a block yet. */
  get waitingBytes(): number {
    return this.gathered.waitingBytes;
  }

  /** Frees memory that waiting messages share with others. To be called every second. */
  unshareMemory(): void {
    this.gathered.unshareMemory();
  }

  /** The oldest message that is known and not stored; it may have to be fetched again first. */
  get oldest(): Pick<StoredMessage, 'offset' | 'timestamp'> | undefined {
    const message = this.current?.messages[0] ?? this.pieces[0]?.messages[0] ?? this.gathered.first;
    return message ?? (this.intent && { offset: this.intent.first, timestamp: this.intent.timestamp });
  }

  append({ from, to, messages }: FetchedBatch): AppendResult {
    if (from !== this.nextOffset) return 'misplaced';
    const { intent } = this;
    if (
      intent &&
      messages.some((message) => message.offset === intent.first && message.timestamp !== intent.timestamp)
    ) {
      return 'other-log';
    }
    this.gathered.add(messages);
    this.nextOffset = to;
    return 'taken';
  }

  /** Skips offsets without messages: a batch of transaction markers or compacted messages only. */
  skipEmptyOffsets(from: bigint, to: bigint): void {
    if (from <= this.nextOffset && to > this.nextOffset) this.nextOffset = to;
  }

  /** Skips messages that retention has deleted. They are confirmed as if they were stored. */
  skipTo(offset: bigint): void {
    if (offset <= this.nextOffset) return;
    this.nextOffset = offset;
    this.isUnconfirmed = true;
  }

  /** Forgets the gathered messages to free their memory. They are fetched again. */
  rewind(): void {
    const { first } = this.gathered;
    if (!first) return;
    this.nextOffset = BigInt(first.offset);
    this.gathered.clear();
  }

  /**
   * A start that replays the block under way, as the next owner would, to free its memory. Precondition: its intent is
   * committed and no INSERT of it is under way.
   */
  get restart(): Start | undefined {
    const { current, currentRange, pieces } = this;
    const [first] = current?.messages ?? [];
    const last = (pieces.at(-1) ?? current)?.messages.at(-1);
    if (!first || !last || !currentRange) return undefined;
    // Pieces may have been stored in part, as parts of the block that they were cut from.
    const end = BigInt(last.offset) + 1n;
    const replayBelow = end > this.replayBelow ? end : this.replayBelow;
    return { position: BigInt(first.offset), intent: currentRange, replayBelow };
  }

  /** True when there is a block to store: a full one, or with `partial` one of any size. */
  hasNext({ partial }: { partial: boolean }): boolean {
    if (this.isReplaying) return false;
    if (this.intent || this.pieces.length > 0) return true;
    return !this.gathered.isEmpty && (partial || this.gathered.fills(this.limits));
  }

  /** The block to store now, as large as its limits allow. The block before it must be done. */
  takeNextBlock(): Block | undefined {
    if (this.isReplaying) return undefined;
    const replayedRange = this.intent;
    const replayed = this.takeReplayed();
    this.current = replayed ?? this.pieces.shift() ?? this.takeGatheredBlock();
    this.currentRange = replayed
      ? replayedRange
      : this.current && requireRange(this.current.messages, this.current.shard);
    return this.current;
  }

  /** The commit that must precede storing the present block. */
  makeIntentCommit(): Commit | undefined {
    return this.currentRange && makeIntent(this.currentRange, this.placement()?.map);
  }

  /** Takes note that the block is stored and its rejected messages are dead letters. */
  noteStored(): void {
    if (this.current) this.gathered.forget(this.current.messages);
    this.current = undefined;
    this.isUnconfirmed = true;
  }

  /** Replaces a rejected block by its halves, which come next. False when it is a single message. */
  halveCurrent(): boolean {
    if (!this.current || this.current.messages.length === 1) return false;
    this.pieces.unshift(...cut(this.current));
    this.current = undefined;
    return true;
  }

  /** The commit that confirms everything stored when no block follows; undefined when there is nothing to confirm. */
  makeConfirmationCommit(): Commit | undefined {
    if (!this.isUnconfirmed || this.current) return undefined;
    const waiting = this.pieces[0]?.messages[0] ?? this.gathered.first;
    return makeConfirmation(waiting ? BigInt(waiting.offset) : this.nextOffset, this.placement()?.map);
  }

  /** Takes note that a confirmation or an intent is committed. */
  noteCommitted(): void {
    this.isUnconfirmed = false;
  }

  /** The block of the open intent under its old id, once all of it that still exists is fetched. */
  private takeReplayed(): Block | undefined {
    const { intent } = this;
    if (!intent) return undefined;
    this.intent = undefined;
    const messages = this.gathered.takeThrough(BigInt(intent.last));
    if (messages.length === 0) {
      this.isUnconfirmed = true;
      return undefined;
    }
    return createBlock(this.place, messages, { isReplay: true, range: intent });
  }

  private takeGatheredBlock(): Block | undefined {
    if (this.gathered.isEmpty) return undefined;
    const messages = this.gathered.takeBlock(this.limits);
    const range = requireRange(messages, this.placement()?.shard);
    const isReplay = BigInt(range.first) < this.replayBelow;
    return createBlock(this.place, messages, { isReplay, range });
  }
}
