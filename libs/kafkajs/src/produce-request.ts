// Takes the place of kafkajs/src/protocol/requests/produce/v3/request.js.
import { type createRequire } from 'node:module';
import type { Message } from 'kafkajs';
import { type Encoder, makeByteWrapper } from './finished-bytes.js';
import { recordBatch, type SizedMessage } from './record-batch.js';
import { replaceModule } from './replace-module.js';
import { zstd } from './zstd.js';

/** A message with a time (performance.now) after which it must not be sent, wherever kafkajs kept it waiting. */
export interface TimedMessage extends SizedMessage {
  readonly sendBefore: number;
}

/** The arguments that kafkajs gives to the encoder of a produce request. */
interface ProduceParameters {
  acks: number;
  timeout: number;
  transactionalId?: string | null;
  producerId?: unknown;
  compression?: number;
  topicData: readonly { topic: string; partitions: readonly { partition: number; messages: readonly Message[] }[] }[];
}

interface ProduceRequest {
  encode: () => Promise<object>;
}

type ToRequest = (parameters: ProduceParameters) => ProduceRequest;

const none = -1;

/** Replaces kafkajs' encoding of plain produce requests; all later versions of the request are built on version 3. */
export function replaceProduceEncoding(require: ReturnType<typeof createRequire>): void {
  const wrapBytes = makeByteWrapper(require);
  const encode = (parameters: ProduceParameters): Promise<Encoder> => {
    if (isLate(parameters)) return Promise.reject(new Error('waited for its connection beyond its deadline'));
    return Promise.resolve(wrapBytes(encodeProduce(parameters, Date.now())));
  };
  replaceModule<ToRequest>(
    require,
    'kafkajs/src/protocol/requests/produce/v3/request.js',
    (original) => (parameters) => {
      const request = original(parameters);
      return isPlain(parameters) ? { ...request, encode: () => encode(parameters) } : request;
    },
  );
}

/** True for sends that are encoded here: plain or zstd, not idempotent, no transaction, no message with its own time. */
const isPlain = ({ compression, transactionalId, producerId, topicData }: ProduceParameters): boolean =>
  (!compression || compression === zstd.attributes) &&
  !transactionalId &&
  Number(producerId ?? none) === none &&
  topicData.every(({ partitions }) =>
    partitions.every(({ messages }) => messages.every(({ timestamp }) => timestamp === undefined)),
  );

/** True when the time for sending is over. All messages of a send have the same time, or none. */
function isLate({ topicData }: ProduceParameters): boolean {
  const first: Partial<TimedMessage> | undefined = topicData[0]?.partitions[0]?.messages[0];
  return first?.sendBefore !== undefined && first.sendBefore < performance.now();
}

/** The body of a produce request, version 3 to 8 (Kafka's protocol guide). */
export function encodeProduce(
  { acks, timeout, compression, topicData }: ProduceParameters,
  timestampMs: number,
): Buffer {
  const compress = compression ? zstd : undefined;
  const topics = topicData.map(({ topic, partitions }) => ({
    name: Buffer.from(topic),
    partitions: partitions.map(({ partition, messages }) => ({
      partition,
      batch: recordBatch(messages, timestampMs, compress),
    })),
  }));
  const bytes = Buffer.allocUnsafe(
    topics.reduce(
      (sum, { name, partitions }) =>
        sum + 6 + name.length + partitions.reduce((length, { batch }) => length + 8 + batch.length, 0),
      12,
    ),
  );
  let end = bytes.writeInt16BE(none, 0); // no transaction
  end = bytes.writeInt16BE(acks, end);
  end = bytes.writeInt32BE(timeout, end);
  end = bytes.writeInt32BE(topics.length, end);
  for (const { name, partitions } of topics) {
    end = bytes.writeInt16BE(name.length, end);
    end += name.copy(bytes, end);
    end = bytes.writeInt32BE(partitions.length, end);
    for (const { partition, batch } of partitions) {
      end = bytes.writeInt32BE(partition, end);
      end = bytes.writeInt32BE(batch.length, end);
      batch.write(bytes, end);
      end += batch.length;
    }
  }
  return bytes;
}
