import { DeadLetterBox, type Kafka } from '@sluice/kafka';

export const markHeader = 'fault-mark';

/** The messages that were sent to be refused, each known by its mark, against the dead letters. */
export class Letters {
  private readonly expected = new Map<string, Set<string>>();
  private marks = 0;

  constructor(private readonly kafka: Kafka) {}

  /** The mark of the next message of a topic that is to be refused. */
  expect(topic: string): string {
    const mark = `m${this.marks++}`;
    const marks = this.expected.get(topic) ?? new Set();
    this.expected.set(topic, marks.add(mark));
    return mark;
  }

  get sent(): number {
    return this.marks;
  }

  /** The marks of which there is no letter. */
  async missing(): Promise<string[]> {
    const box = new DeadLetterBox(this.kafka);
    const missing: string[] = [];
    for (const [topic, marks] of this.expected) {
      const left = new Set(marks);
      const letters = await box.read({ topics: [topic], limit: 0, matches: ({ headers }) => tick(left, headers) });
      missing.push(...left, ...letters.map(({ id }) => id));
    }
    return missing;
  }
}

/** Never true, so that letters are read past and not gathered. */
function tick(left: Set<string>, headers: Readonly<Record<string, unknown>>): boolean {
  const mark = headers[markHeader];
  if (Buffer.isBuffer(mark)) left.delete(mark.toString());
  return false;
}
