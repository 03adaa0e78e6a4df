import { type Block, type BlockRange, createBlock, cut, type Place, rangeOf, type StoredMessage } from './block.js';
import { type Commit, intentOf, restAt, type Start } from './committed.js';
import { type BlockConfig } from '../connection/config.js';
import { Gathered } from './gathered.js';

/** Messages that one request fetched, and from where to where: their offsets may have holes. */
export interface FetchedBatch {
  readonly from: bigint;
  /** The offset after the last one. */
  readonly to: bigint;
  readonly messages: readonly StoredMessage[];
}

/**
 * - `taken`: it continues what was there.
 * - `misplaced`: it was not fetched at our position, and was left.
 * - `other-log`: the message at the open intent is not the one it names; the topic was created anew.
 */
export type Taking = 'taken' | 'misplaced' | 'other-log';

/**
 * The block protocol of one partition within one generation, without time and without I/O: which block comes next and
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
    private readonly place: Place,
    start: Start,
    private readonly limits: Pick<BlockConfig, 'BLOCK_MAX_ROWS' | 'BLOCK_MAX_BYTES'>,
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

  /** The block of an open intent is not complete yet. */
  get isReplaying(): boolean {
    return this.intent !== undefined && this.nextOffset <= BigInt(this.intent.last);
  }

  /** The next block is waiting; more would only take memory. */
  get isFull(): boolean {
    return !this.isReplaying && this.gathered.fills(this.limits);
  }

  /** A block is being stored. */
  get isStoring(): boolean {
    return this.current !== undefined;
  }

  /** Memory that the messages take, those of the block under way included. */
  get heldBytes(): number {
    return this.gathered.heldBytes;
  }

  /** The part of `heldBytes` of messages that are not in a block yet. */
  get waitingBytes(): number {
    return this.gathered.waitingBytes;
  }

  /** To be called every second: messages that stay do not keep more memory than their own. */
  age(): void {
    this.gathered.age();
  }

  /** Offset and timestamp of the oldest message that is known and not stored; it may be yet to be fetched again. */
  get oldest(): Pick<StoredMessage, 'offset' | 'timestamp'> | undefined {
    const here = this.current?.messages[0] ?? this.pieces[0]?.messages[0] ?? this.gathered.first;
    return here ?? (this.intent && { offset: this.intent.first, timestamp: this.intent.timestamp });
  }

  append({ from, to, messages }: FetchedBatch): Taking {
    if (from !== this.nextOffset) return 'misplaced';
    const { intent } = this;
    if (intent && messages.some((one) => one.offset === intent.first && one.timestamp !== intent.timestamp)) {
      return 'other-log';
    }
    this.gathered.add(messages);
    this.nextOffset = to;
    return 'taken';
  }

  /** Passes offsets that hold nothing for us: a batch of nothing but transaction markers or compacted messages. */
  pass(from: bigint, to: bigint): void {
    if (from <= this.nextOffset && to > this.nextOffset) this.nextOffset = to;
  }

  /** Moves on over what retention has taken. That it is passed is confirmed as if it were stored. */
  skipTo(offset: bigint): void {
    if (offset <= this.nextOffset) return;
    this.nextOffset = offset;
    this.isUnconfirmed = true;
  }

  /** Forgets the gathered messages to free their memory; they are fetched again. */
  rewind(): void {
    const { first } = this.gathered;
    if (!first) return;
    this.nextOffset = BigInt(first.offset);
    this.gathered.clear();
  }

  /**
   * A start that begins the block under way anew, as the next owner would, to free its memory. Its intent must be
   * committed, and none of its rows be on their way to the table.
   */
  get again(): Start | undefined {
    const { current, currentRange, pieces } = this;
    const [first] = current?.messages ?? [];
    const last = (pieces.at(-1) ?? current)?.messages.at(-1);
    if (!first || !last || !currentRange) return undefined;
    // Pieces may have been stored in part, as parts of the block that they were cut from.
    const end = BigInt(last.offset) + 1n;
    const replayBelow = end > this.replayBelow ? end : this.replayBelow;
    return { position: BigInt(first.offset), intent: currentRange, replayBelow };
  }

  /** Whether there is a block to store now: a full one, or with `partial` whatever there is. */
  hasNext({ partial }: { partial: boolean }): boolean {
    if (this.isReplaying) return false;
    if (this.intent || this.pieces.length > 0) return true;
    return !this.gathered.isEmpty && (partial || this.gathered.fills(this.limits));
  }

  /** The block to store now, of as much as there is up to its limits. The one before must be done. */
  next(): Block | undefined {
    if (this.isReplaying) return undefined;
    const replayedRange = this.intent;
    const replayed = this.replayed();
    this.current = replayed ?? this.pieces.shift() ?? this.cutOff();
    this.currentRange = replayed ? replayedRange : this.current && rangeOf(this.current.messages);
    return this.current;
  }

  /** What must be committed before the present block is stored. */
  begin(): Commit | undefined {
    return this.currentRange && intentOf(this.currentRange);
  }

  /** The block is stored and its refused messages are dead letters. */
  done(): void {
    if (this.current) this.gathered.forget(this.current.messages);
    this.current = undefined;
    this.isUnconfirmed = true;
  }

  /** The block was refused: its halves come next. False when it is one message. */
  cutUp(): boolean {
    if (!this.current || this.current.messages.length === 1) return false;
    this.pieces.unshift(...cut(this.current));
    this.current = undefined;
    return true;
  }

  /** What confirms all that is stored when no block follows; undefined when there is nothing to confirm. */
  rest(): Commit | undefined {
    if (!this.isUnconfirmed || this.current) return undefined;
    const waiting = this.pieces[0]?.messages[0] ?? this.gathered.first;
    return restAt(waiting ? BigInt(waiting.offset) : this.nextOffset);
  }

  /** The rest, or an intent, is committed. */
  confirmed(): void {
    this.isUnconfirmed = false;
  }

  /** The block of the open intent, under its old id, once all of it that still exists is here. */
  private replayed(): Block | undefined {
    const { intent } = this;
    if (!intent) return undefined;
    this.intent = undefined;
    const messages = this.gathered.takeThrough(BigInt(intent.last));
    if (messages.length === 0) {
      this.isUnconfirmed = true;
      return undefined;
    }
    return createBlock(this.place, messages, true, intent);
  }

  private cutOff(): Block | undefined {
    if (this.gathered.isEmpty) return undefined;
    const messages = this.gathered.takeBlock(this.limits);
    return createBlock(this.place, messages, BigInt(messages[0]?.offset ?? 0) < this.replayBelow);
  }
}
