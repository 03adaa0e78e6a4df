// Reaches into kafkajs/src/index.js for a cluster of its own, to send a request that kafkajs does not have.
import { createRequire } from 'node:module';
import { type Encoder, makeByteWrapper } from './finished-bytes.js';
import { type Kafka } from './patched.js';

interface Request {
  readonly request: object;
  readonly response: { decode: (payload: Buffer) => Promise<Ids>; parse: (decoded: Ids) => Promise<Ids> };
}
interface Broker {
  readonly versions: Readonly<Record<number, { maxVersion: number } | undefined>>;
  readonly connectionPool: { send: (request: Request) => Promise<Ids> };
}
interface Cluster {
  readonly brokerPool: { findConnectedBroker: () => Promise<Broker> };
  connect: () => Promise<void>;
  disconnect: () => Promise<void>;
}
type CreateCluster = (options: object) => Cluster;
type Ids = ReadonlyMap<string, string>;

const clusterSymbol = 'private:Kafka:createCluster';
const metadataKey = 3;
/** The first version that Kafka 3 and 4 both have, with ids of topics in its answer (Kafka's protocol guide). */
const metadataVersion = 12;
const idBytes = 16;
const noId = '0'.repeat(2 * idBytes);

/** Reads the ids of topics: a topic that is deleted and recreated has the same name and another id. */
export class TopicIds {
  private readonly wrapBytes = makeByteWrapper(createRequire(import.meta.url));
  private cluster: Promise<Cluster> | undefined;

  constructor(private readonly kafka: Kafka) {}

  /** The ids of those topics that exist, by name. @throws when Kafka cannot be reached or is older than 3.0. */
  async read(topics: readonly string[]): Promise<Ids> {
    if (topics.length === 0) return new Map();
    try {
      this.cluster ??= this.connect();
      const broker = await (await this.cluster).brokerPool.findConnectedBroker();
      const latest = broker.versions[metadataKey]?.maxVersion ?? 0;
      if (latest < metadataVersion) throw new Error('this Kafka gives no ids of topics');
      return await broker.connectionPool.send(this.makeRequest(topics));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Disconnects, without waiting for it. The next read connects again. */
  close(): void {
    const { cluster } = this;
    this.cluster = undefined;
    cluster?.then((open) => open.disconnect()).catch(() => undefined);
  }

  private async connect(): Promise<Cluster> {
    const symbol = Object.getOwnPropertySymbols(this.kafka).find(({ description }) => description === clusterSymbol);
    const create = symbol && (this.kafka as unknown as Record<symbol, CreateCluster | undefined>)[symbol];
    if (!create) throw new Error('this kafkajs makes no cluster');
    const cluster = create({ metadataMaxAge: 0, allowAutoTopicCreation: false });
    await cluster.connect();
    return cluster;
  }

  private makeRequest(topics: readonly string[]): Request {
    const body = requestBody(topics);
    const encode = (): Promise<Encoder> => Promise.resolve(this.wrapBytes(body));
    return {
      request: { apiKey: metadataKey, apiVersion: metadataVersion, apiName: 'Metadata', encode },
      response: { decode: (payload) => Promise.resolve(parseIds(payload)), parse: (ids) => Promise.resolve(ids) },
    };
  }
}

/** Encodes an unsigned number of variable length. */
function unsigned(value: number): Buffer {
  const bytes: number[] = [];
  let remainder = value;
  for (; remainder > 0x7f; remainder >>>= 7) bytes.push((remainder & 0x7f) | 0x80);
  return Buffer.from([...bytes, remainder]);
}

/** Encodes a length as one more than it is: 0 means null. */
const sized = (length: number): Buffer => unsigned(length + 1);
const noTags = Buffer.of(0);
const isFalse = Buffer.of(0);

function requestBody(topics: readonly string[]): Buffer {
  const encodedNames = topics.map((topic) => {
    const name = Buffer.from(topic);
    return Buffer.concat([Buffer.alloc(idBytes), sized(name.length), name, noTags]);
  });
  // The first tags end the header. The flags: create no topics, list no operations.
  return Buffer.concat([noTags, sized(topics.length), ...encodedNames, isFalse, isFalse, noTags]);
}

/** Reads the ids from an answer and skips the rest. */
export function parseIds(payload: Buffer): Ids {
  const reader = new AnswerReader(payload);
  reader.tags();
  reader.skip(4); // throttling
  reader.each(() => {
    reader.skip(4);
    reader.text();
    reader.skip(4);
    reader.text();
    reader.tags();
  });
  reader.text(); // cluster
  reader.skip(4); // controller
  const ids = new Map<string, string>();
  reader.each(() => {
    reader.skip(2); // error: without the topic there is no id
    const name = reader.text();
    const id = reader.take(idBytes).toString('hex');
    reader.skip(1);
    reader.each(() => {
      reader.skip(2 + 4 + 4 + 4);
      for (let list = 0; list < 3; list++) {
        reader.each(() => {
          reader.skip(4); // a broker
        });
      }
      reader.tags();
    });
    reader.skip(4);
    reader.tags();
    if (id !== noId) ids.set(name, id);
  });
  return ids;
}

/** Reads the compact formats of Kafka's protocol in turn. */
class AnswerReader {
  private position = 0;

  constructor(private readonly bytes: Buffer) {}

  skip(length: number): void {
    this.take(length);
  }

  /** @throws RangeError when the answer ends too early. */
  take(length: number): Buffer {
    if (this.position + length > this.bytes.length) throw new RangeError('the answer ends too early');
    this.position += length;
    return this.bytes.subarray(this.position - length, this.position);
  }

  text(): string {
    return this.take(Math.max(0, this.unsigned() - 1)).toString();
  }

  each(read: () => void): void {
    for (let remaining = this.unsigned() - 1; remaining > 0; remaining--) read();
  }

  tags(): void {
    for (let remaining = this.unsigned(); remaining > 0; remaining--) {
      this.unsigned();
      this.skip(this.unsigned());
    }
  }

  private unsigned(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.take(1)[0] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte <= 0x7f) return value >>> 0;
    }
  }
}
