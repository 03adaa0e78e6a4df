import { type Kafka } from '@sluice/kafkajs';
import { readBoxSections } from './box-sections.js';
import { type DeadLetter, letterId } from './dead-letter.js';
import { LetterReader } from './letter-reader.js';
import { compareLetters } from './letter-summary.js';
import { NewestLetters } from './newest-letters.js';
import { LetterReplay, type Replay } from './letter-replay.js';
import { readSections, type Section } from './read-sections.js';

export interface DeadLetterQuery {
  /** Data topics of the messages. */
  readonly topics: readonly string[];
  /** Upper bound of letters; the newest are kept. */
  readonly limit: number;
  /** Selects letters. Without it, only as much is read as the limit needs. */
  readonly matches?: (letter: DeadLetter) => boolean;
  /** True to read every letter of a message that was refused again after a replay, not only its newest. */
  readonly isEach?: boolean;
}

/** Ratio of the messages that the first look reads to the letters that are asked for. */
const lookBack = 2;
/** Ratio of the messages of each further look to those of the look before. */
const lookFurther = 8;

/** Reads and replays the dead letters. Only retention removes any. */
export class DeadLetterBox {
  constructor(private readonly kafka: Kafka) {}

  /** Reads the newest letter of each message, the newest first. One with missing parts has `damage`. */
  async read({ topics, limit, matches, isEach = false }: DeadLetterQuery): Promise<DeadLetter[]> {
    for (let newest = matches ? undefined : lookBack * limit; ; newest = newest && newest * lookFurther) {
      const sections = await readBoxSections(this.kafka, topics, newest);
      const isAll = sections.every(({ isWhole }) => isWhole);
      const letters = await this.readSections(sections, new NewestLetters(matches, isEach ? letterId : undefined));
      // A letter may be there twice, from a consumer that died before it could confirm, and may be in many parts: there
      // are fewer letters than messages, and the first parts of a letter may lie before the section.
      const isEnough = letters.length >= limit && !letters.slice(0, limit).some(({ damage }) => damage);
      if (isAll || isEnough) return letters.slice(0, limit);
    }
  }

  /** Counts the messages with a letter, by topic; reads all letters and keeps none. */
  async count(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const ids = new Map<string, Set<string>>();
    const reader = new LetterReader();
    const add = ({ topic, id }: DeadLetter): void => {
      ids.set(topic, (ids.get(topic) ?? new Set()).add(id));
    };
    await readSections(this.kafka, await readBoxSections(this.kafka, topics), (_, message) => {
      const letter = reader.take(message);
      if (letter) add(letter);
    });
    reader.damaged.forEach(add);
    return new Map(Array.from(ids, ([topic, { size }]) => [topic, size]));
  }

  /**
   * Appends the messages, unchanged, to the partition that they came from. They are marked as possible repeats, so that
   * rows that are stored by now are not stored again. Nothing is sent if the partition of one of them no longer exists.
   * @param letters the newest first, as they are read.
   * @throws when Kafka cannot be reached.
   */
  replay(letters: readonly DeadLetter[]): Promise<Replay> {
    return LetterReplay.run(this.kafka, letters);
  }

  /** The newest first. */
  private async readSections(sections: readonly Section[], newest: NewestLetters): Promise<DeadLetter[]> {
    const reader = new LetterReader();
    await readSections(this.kafka, sections, (_, message) => {
      const letter = reader.take(message);
      if (letter) newest.add(letter);
    });
    for (const letter of reader.damaged) newest.add(letter);
    return newest.letters.sort((a, b) => compareLetters(a, b) || compare(b, a));
  }
}

/** Order of the letters of one message. */
const compare = (a: DeadLetter, b: DeadLetter): number => Number(BigInt(a.offset) - BigInt(b.offset));
