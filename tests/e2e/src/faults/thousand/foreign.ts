import { eventually } from '@sluice/testing';
import { type Stage } from './stage.js';
import { markHeader } from './letters.js';
import { type Stream } from './stream.js';

/** A message that another producer might write. */
export interface ForeignMessage {
  readonly key?: string | null;
  readonly value: string | Buffer | null;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly partition?: number;
}

const bytesPerSend = 1_000_000;
const messagesPerSend = 2_000;

/** Writes to Kafka directly, bypassing the gateway. */
export class Foreign {
  constructor(private readonly stage: Stage) {}

  /** Sends messages that must be refused, each with its mark. Resolves when Kafka has them. */
  async refused(stream: Stream, messages: readonly ForeignMessage[]): Promise<void> {
    const { cluster, letters } = this.stage;
    const topic = stream.topic.name;
    const producer = cluster.kafka.producer({ allowAutoTopicCreation: false });
    await eventually(() => producer.connect());
    try {
      for (const chunk of cutChunks(messages)) {
        const marked = chunk.map(({ key = 'foreign', value, headers, partition }) => ({
          key,
          value: typeof value === 'string' ? Buffer.from(value) : value,
          headers: { ...headers, [markHeader]: letters.expect(topic) },
          ...(partition !== undefined && { partition }),
        }));
        await eventually(() => producer.send({ topic, acks: -1, messages: marked }));
      }
    } finally {
      await producer.disconnect();
    }
  }
}

function* cutChunks(messages: readonly ForeignMessage[]): Generator<ForeignMessage[]> {
  let chunk: ForeignMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.value?.length ?? 0;
    if (chunk.length > 0 && (bytes + size > bytesPerSend || chunk.length >= messagesPerSend)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(message);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
