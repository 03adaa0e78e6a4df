import { type Kafka, type KafkaMessage } from '@sluice/kafkajs';
import { headerText } from '../protocol/message-parts.js';
import { partitionKey, type TopicPartition } from '../protocol/block.js';
import { readBoxSections } from './box-sections.js';
import { type DeadLetter, deadLetterHeader, letterId } from './dead-letter.js';
import { LetterReader } from './letter-reader.js';
import { compareLetters, type LetterSummary, summarizeLetter } from './letter-summary.js';
import { readSections, type Section } from './read-sections.js';

/** Upper bound of the summaries in memory, bytes: about 200,000 letters. */
const maxBytes = 96 * 1_024 * 1_024;
/** Bytes of a summary without its texts. */
const ownBytes = 200;
/** Max number of letters beyond the bound that one question reads. */
const maxRead = 20_000;
/** Time after which the missing parts of a letter are no longer awaited. */
const partsMs = 3_600_000;

interface BoxMessage extends TopicPartition {
  readonly offset: bigint;
}

interface IndexEntry {
  readonly summary: LetterSummary;
  /** Message of the dead-letter topic that the letter ends with: when retention takes it, the letter is gone. */
  readonly message: BoxMessage;
}

/**
 * The summaries of all letters that Kafka has, so that a list of them reads what is new and nothing twice. Beyond the
 * upper bound the oldest are left out, and counted.
 */
export class LetterIndex {
  /** Changes with the letters. */
  version = 0;
  private readonly entries = new Map<string, IndexEntry>();
  private readonly positions = new Map<string, bigint>();
  private readonly leftOut = new Map<string, { letters: number; newest: bigint }>();
  /** Number of letters that were untreated when they were left out. */
  private untreatedLeftOut = 0;
  /** Time at which the newest letter that is left out was refused, milliseconds since 1970. */
  private leftOutUntil = -Infinity;
  private bytes = 0;
  private sorted: readonly LetterSummary[] | undefined = [];
  private reader = new LetterReader();
  private readonly lastParts = new Map<string, BoxMessage>();
  private reading: Promise<void> | undefined;

  /**
   * @param topics data topics of the messages
   * @param isTreated whether someone has dealt with a letter
   * @param limit upper bound of the summaries, bytes
   */
  constructor(
    private readonly kafka: Kafka,
    private readonly topics: readonly string[],
    private readonly isTreated: (letter: LetterSummary) => boolean = () => false,
    private readonly limit = maxBytes,
  ) {}

  /** All letters, the newest first: the newest letter of each message. */
  get letters(): readonly LetterSummary[] {
    this.sorted ??= Array.from(this.entries.values(), ({ summary }) => summary).sort(compareLetters);
    return this.sorted;
  }

  /** Number of letters that are too many to be listed; the oldest. */
  get unlisted(): number {
    return [...this.leftOut.values()].reduce((sum, { letters }) => sum + letters, 0);
  }

  /** Time at which the newest letter that is too many to be listed was refused; -Infinity without one. */
  get unlistedUntil(): number {
    return this.unlisted === 0 ? -Infinity : this.leftOutUntil;
  }

  /**
   * Number of untreated letters among those that are too many to be listed.
   * @param treatedUntil time up to which all letters were dismissed together, milliseconds since 1970
   */
  countUnlistedUntreated(treatedUntil: number): number {
    if (treatedUntil >= this.leftOutUntil) this.untreatedLeftOut = 0;
    return Math.min(this.untreatedLeftOut, this.unlisted);
  }

  /** Number of letters that were read, also during the first reading. */
  get size(): number {
    return this.entries.size + this.unlisted;
  }

  find(id: string): LetterSummary | undefined {
    return this.entries.get(id)?.summary;
  }

  /** Reads what is new; one reading serves all who wait for it. @throws when Kafka cannot be reached. */
  refresh(): Promise<void> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  /**
   * Reads the letters that are too many to be listed from Kafka again, which takes as long as a first reading.
   * @returns those that are wanted, newest first, `maxRead` at most
   */
  async readUnlisted(isWanted: (letter: LetterSummary) => boolean): Promise<LetterSummary[]> {
    const boxes = await readBoxSections(this.kafka, this.topics);
    // A partition without any is named with an empty section: else it would be read as well.
    const sections = boxes.map((box): Section => {
      const end = (this.leftOut.get(partitionKey(box))?.newest ?? -1n) + 1n;
      return { ...box, end: end < box.from ? box.from : end < box.end ? end : box.end };
    });
    const reader = new LetterReader();
    const letters = new Map<string, LetterSummary>();
    await readSections(this.kafka, sections, (_place, message) => {
      const letter = reader.take(message);
      if (!letter || this.entries.has(letter.id)) return;
      const summary = summarizeLetter(letter);
      if (isWanted(summary)) letters.set(summary.id, summary);
    });
    return [...letters.values()].sort(compareLetters).slice(0, maxRead);
  }

  private async read(): Promise<void> {
    const boxes = await readBoxSections(this.kafka, this.topics);
    this.forget(boxes);
    const sections = boxes.map((box): Section => {
      const position = this.positions.get(partitionKey(box)) ?? box.from;
      return { ...box, from: position > box.from ? position : box.from };
    });
    await readSections(this.kafka, sections, (place, message) => {
      this.take({ ...place, offset: BigInt(message.offset) }, message);
    });
    for (const { end, ...box } of sections) this.positions.set(partitionKey(box), end);
    this.takeDamaged();
    if (this.bytes > this.limit) this.leaveOutOldest();
  }

  private take(message: BoxMessage, record: KafkaMessage): void {
    const letter = this.reader.take(record);
    if (letter) this.add(letter, message);
    else this.lastParts.set(headerText(record, deadLetterHeader.partOf) ?? '', message);
    this.positions.set(partitionKey(message), message.offset + 1n);
  }

  private add(letter: DeadLetter, message: BoxMessage): void {
    const previous = this.entries.get(letter.id);
    if (previous && previous.summary.refusedAt > letter.refusedAt) return;
    if (previous) this.bytes -= countBytes(previous);
    const entry = { summary: summarizeLetter(letter), message };
    this.entries.set(letter.id, entry);
    this.bytes += countBytes(entry);
    this.change();
  }

  /** Lists letters whose parts are missing. A reader of its own joins what comes later, once none is awaited. */
  private takeDamaged(): void {
    const { damaged } = this.reader;
    for (const letter of damaged) {
      const message = this.lastParts.get(letterId(letter));
      if (message && !this.entries.has(letter.id)) this.add(letter, message);
    }
    if (damaged.some(({ refusedAt }) => refusedAt > Date.now() - partsMs)) return;
    this.reader = new LetterReader();
    this.lastParts.clear();
  }

  /** Drops what retention took, and everything of a topic that was created again. */
  private forget(boxes: readonly Section[]): void {
    const boxesByKey = new Map(boxes.map((box) => [partitionKey(box), box]));
    const isNew = (key: string): boolean => (boxesByKey.get(key)?.end ?? -1n) < (this.positions.get(key) ?? 0n);
    const renewed = new Set([...this.positions.keys()].filter(isNew));
    const isGone = (key: string, offset: bigint): boolean =>
      renewed.has(key) || offset < (boxesByKey.get(key)?.from ?? 0n);
    for (const [id, entry] of this.entries) {
      if (isGone(partitionKey(entry.message), entry.message.offset)) this.remove(id, entry);
    }
    for (const [key, { newest }] of this.leftOut) if (isGone(key, newest)) this.leftOut.delete(key);
    for (const key of renewed) this.positions.delete(key);
  }

  private leaveOutOldest(): void {
    const oldestFirst = this.letters.toReversed();
    for (const { id } of oldestFirst) {
      if (this.bytes <= this.limit * 0.9) return;
      const entry = this.entries.get(id);
      if (!entry) continue;
      const key = partitionKey(entry.message);
      const { letters = 0, newest = -1n } = this.leftOut.get(key) ?? {};
      const { offset } = entry.message;
      this.leftOut.set(key, { letters: letters + 1, newest: offset > newest ? offset : newest });
      if (!this.isTreated(entry.summary)) this.untreatedLeftOut += 1;
      this.leftOutUntil = Math.max(this.leftOutUntil, entry.summary.refusedAt);
      this.remove(id, entry);
    }
  }

  private remove(id: string, entry: IndexEntry): void {
    this.entries.delete(id);
    this.bytes -= countBytes(entry);
    this.change();
  }

  private change(): void {
    this.sorted = undefined;
    this.version += 1;
  }
}

const countBytes = ({ summary: { id, key, reason } }: IndexEntry): number =>
  ownBytes + 2 * (id.length + reason.length + (key?.length ?? 0));
