import { CompressionTypes, type Kafka, Partitioners, TopicIds } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';

/** One message that every in-sync replica acknowledged. */
export interface SendProbe {
  readonly tookMs: number;
  /** Local time in the middle of the request. */
  readonly localTime: number;
  /** Time at which the broker appended it, in its clock; undefined where the topic keeps the times of producers. */
  readonly brokerTime: number | undefined;
}

/**
 * Sends messages one by one, as the gateway does, acknowledged by all in-sync replicas.
 * @throws when Kafka refuses, or does not answer in time.
 */
export async function probeSends(
  kafka: Kafka,
  topic: string,
  { sends, bytes, requestTimeoutMs }: { sends: number; bytes: number; requestTimeoutMs: number },
): Promise<SendProbe[]> {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    retry: { retries: 2 },
  });
  await producer.connect();
  const probes: SendProbe[] = [];
  const value = Buffer.alloc(bytes, 'x');
  try {
    for (let i = 0; i < sends; i++) {
      const startedAt = Date.now();
      const started = performance.now();
      const messages = [{ partition: 0, value }];
      const options = { topic, messages, acks: -1, timeout: requestTimeoutMs, compression: CompressionTypes.None };
      const [answer] = await producer.send(options);
      const tookMs = performance.now() - started;
      const appended = Number(answer?.logAppendTime ?? -1);
      probes.push({ tookMs, localTime: startedAt + tookMs / 2, brokerTime: appended >= 0 ? appended : undefined });
    }
  } finally {
    await producer.disconnect();
  }
  return probes;
}

/** A log as Kafka describes it: the id of its topic, and the offset that it finds by the time of a message. */
export interface LogProbe {
  readonly topicId: string | undefined;
  readonly offsetByTime: string | undefined;
}

export async function probeLog(kafka: Kafka, topic: string): Promise<LogProbe> {
  const ids = new TopicIds(kafka);
  try {
    const topicId = await ids.read([topic]).then(
      (answer) => answer.get(topic),
      () => undefined,
    );
    const [place] = await withAdmin(kafka, (admin) => admin.fetchTopicOffsetsByTimestamp(topic, 1));
    return { topicId, offsetByTime: place?.offset };
  } finally {
    ids.close();
  }
}
