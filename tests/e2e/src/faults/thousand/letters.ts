import { setTimeout as sleep } from 'node:timers/promises';
import { DeadLetterBox, type Kafka } from '@sluice/kafka';

export const markHeader = 'fault-mark';
/** Time for letters to be written after the last row behind them is stored: a block's letters follow its rows. */
const lateMs = 60_000;
const pollMs = 2_000;

/** Compares messages that must be refused, identified by marks, with the dead letters. */
export class ExpectedLetters {
  private readonly expected = new Map<string, Set<string>>();
  private marks = 0;

  constructor(readonly kafka: Kafka) {}

  /** Returns a mark for the next message of a topic that must be refused. */
  expect(topic: string): string {
    const mark = `m${this.marks++}`;
    const marks = this.expected.get(topic) ?? new Set();
    this.expected.set(topic, marks.add(mark));
    return mark;
  }

  get sent(): number {
    return this.marks;
  }

  /** Marks without a dead letter after some time. */
  async missing(): Promise<string[]> {
    const until = Date.now() + lateMs;
    let missing = await this.missingNow();
    while (missing.length > 0 && Date.now() < until) {
      await sleep(pollMs);
      missing = await this.missingNow();
    }
    return missing;
  }

  private async missingNow(): Promise<string[]> {
    const box = new DeadLetterBox(this.kafka);
    const missing: string[] = [];
    for (const [topic, marks] of this.expected) {
      const unseenMarks = new Set(marks);
      const letters = await box.read({
        topics: [topic],
        limit: 0,
        matches: ({ headers }) => tick(unseenMarks, headers),
      });
      missing.push(...unseenMarks, ...letters.map(({ id }) => id));
    }
    return missing;
  }
}

/** Ticks off a letter's mark. Always returns false, so that letters are not collected in memory. */
function tick(unseenMarks: Set<string>, headers: Readonly<Record<string, unknown>>): boolean {
  const mark = headers[markHeader];
  if (Buffer.isBuffer(mark)) unseenMarks.delete(mark.toString());
  return false;
}
