import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { deadLetterTopic, header } from '@sluice/contracts';
import { Health, Registry } from '@sluice/service';
import { ConfigResourceTypes, type Kafka, type SizedMessage, writeHeaders } from '@sluice/kafkajs';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { type Block, type Rejection } from '../protocol/block.js';
import { BlockConsumer } from '../consume/block-consumer.js';
import { createKafka, createPartitioner } from '../connection/client.js';
import { DeadLetterBox } from './dead-letter-box.js';
import { type DeadLetter, deadLetterHeader } from './dead-letter.js';
import { findMessages } from './message-search.js';
import { ensureDeadLetterTopic, ensureTopics } from '../topics/topics.js';
import { deleteTopic } from '../topics/delete-topic.spec-support.js';

const config = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: 3,
  TOPIC_REPLICATION_FACTOR: 1,
  BLOCK_MAX_ROWS: 50_000,
  BLOCK_MAX_BYTES: 24 * 1024 * 1024,
  BLOCK_MAX_AGE_MS: 300,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
  BLOCK_BUFFER_BYTES: 96 * 1024 * 1024,
};
const mebibyte = 1024 * 1024;

let topic: string;
let box: string;
let kafka: Kafka;
let letters: DeadLetterBox;
let consumer: BlockConsumer | undefined;
let registry: Registry;

beforeEach(async () => {
  topic = `letters.${randomUUID()}`;
  box = deadLetterTopic(topic);
  kafka = createKafka(config, 'test');
  letters = new DeadLetterBox(kafka);
  registry = new Registry();
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
});

afterEach(async () => {
  await consumer?.close();
  consumer = undefined;
});

async function produce(messages: readonly SizedMessage[]): Promise<void> {
  const producer = kafka.producer({ createPartitioner });
  await producer.connect();
  for (let from = 0; from < messages.length; from += 200) {
    await producer.send({ topic, messages: messages.slice(from, from + 200) });
  }
  await producer.disconnect();
}

/** Starts a consumer that refuses every message whose value does not begin with `good`; returns the accepted values. */
async function refuseAll(): Promise<string[]> {
  const good: string[] = [];
  consumer = new BlockConsumer(config, `group-${topic}`, new Health(), registry);
  const handler = ({ messages }: Block): Promise<Rejection[]> => {
    const isGood = (value: Buffer | null): boolean => value?.toString().startsWith('good') === true;
    for (const { value } of messages) if (isGood(value)) good.push(String(value));
    const refused = messages.filter(({ value }) => !isGood(value));
    return Promise.resolve(refused.map((message) => ({ message, reason: 'refused by a test' })));
  };
  consumer.addHandler(topic, handler, true);
  await consumer.listen((error) => {
    if (error !== undefined) throw error as Error;
  });
  return good;
}

async function untilConfirmed(): Promise<void> {
  await eventually(async () => {
    const [committed, ends] = await withAdmin(kafka, (admin) =>
      Promise.all([admin.fetchOffsets({ groupId: `group-${topic}`, topics: [topic] }), admin.fetchTopicOffsets(topic)]),
    );
    const offsets = new Map(committed[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    for (const { partition, high } of ends) expect(Math.max(offsets.get(partition) ?? 0, 0)).toBe(Number(high));
  });
}

const read = (limit = 100_000): Promise<DeadLetter[]> => letters.read({ topics: [topic], limit });
const setLimit = (name: string, bytes: number): Promise<unknown> =>
  withAdmin(kafka, (admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name,
          configEntries: [{ name: 'max.message.bytes', value: String(bytes) }],
        },
      ],
    }),
  );

const encoded = (headers: readonly (readonly [string | Buffer, string | Buffer | null])[]): Buffer =>
  writeHeaders(
    headers.map(([name, value]) => ({
      name: Buffer.from(name as string),
      value: value === null ? null : Buffer.from(value as string),
    })),
  );

/** Messages of kinds that the gateway does not write, but other producers can. */
const odd: SizedMessage[] = [
  { key: null, value: 'null header', encodedHeaders: encoded([['a', null]]) },
  { key: null, value: null, encodedHeaders: encoded([]) },
  { key: '', value: '', encodedHeaders: encoded([['', '']]) },
  {
    key: Buffer.from([0xff, 0x00]),
    value: Buffer.from([0xc3, 0x28]),
    encodedHeaders: encoded([
      [Buffer.from([0xff, 0xfe]), Buffer.from([0x80])],
      ['b', '1'],
      ['a', null],
      ['b', null],
      ['__proto__', 'x'],
      ['0', 'before'],
    ]),
  },
  {
    key: 'k',
    value: 'thousands of headers',
    encodedHeaders: encoded(
      Array.from({ length: 20_000 }, (_, i) => [`name-${i % 7_000}`, i % 5 === 0 ? null : `${i}`]),
    ),
  },
];

const sameAs = ({ key = null, value, encodedHeaders }: SizedMessage) => ({
  key: key === null ? null : Buffer.from(key as string),
  value: value === null ? null : Buffer.from(value as string),
  encodedHeaders,
});

it('writes dead letters for messages of any content, and replays them unchanged', async () => {
  await produce([...odd, { value: 'good' }].map((message) => ({ ...message, partition: 1 })));
  const good = await refuseAll();
  await untilConfirmed();
  expect(good).toEqual(['good']);
  const readLetters = await read();
  expect(readLetters.toReversed().map(({ key, value, encodedHeaders }) => ({ key, value, encodedHeaders }))).toEqual(
    odd.map(sameAs),
  );

  // They are refused again: a replayed message is unchanged, except for the marks after its headers.
  expect((await letters.replay(readLetters)).replayed).toHaveLength(odd.length);
  await untilConfirmed();
  const again = (await read()).slice(0, odd.length).toReversed();
  expect(again.map(({ key, value }) => ({ key, value }))).toEqual(
    odd.map(sameAs).map(({ key, value }) => ({ key, value })),
  );
  for (const [i, { headers }] of again.entries()) {
    const { [header.possibleRepeat]: mark, [deadLetterHeader.firstLetterId]: first, ...otherHeaders } = headers;
    const before = readLetters.toReversed()[i];
    expect([String(mark), String(first)]).toEqual(['1', before?.id]);
    expect(otherHeaders).toEqual(before?.headers);
  }
});

it('writes 40,000 small dead letters and 2.4 MB of large ones without blocking the process', async () => {
  const small = Array.from({ length: 40_000 }, (_, i) => ({ value: `${i} `.padEnd(60, 'x'), partition: 0 }));
  const large = Array.from({ length: 400 }, (_, i) => ({ value: `${i} `.padEnd(6_000, 'y'), partition: 1 }));
  await produce([...small, ...large]);
  await produce([0, 1, 2].map((partition) => ({ value: `good ${partition}`, partition })));
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const good = await refuseAll();
  await untilConfirmed();
  delay.disable();
  // Other programs may hold up this process as well; kafkajs' own grouping of so many messages took over ten seconds.
  expect(delay.max / 1e6).toBeLessThan(5_000);
  expect(good.toSorted()).toEqual(['good 0', 'good 1', 'good 2']);

  const letters = await read();
  const lettersIn = (partitionNumber: number) =>
    letters.filter(({ partition }) => partition === partitionNumber).toReversed();
  expect(lettersIn(0).map(({ value }) => String(value))).toEqual(small.map(({ value }) => value));
  expect(lettersIn(1).map(({ value }) => String(value))).toEqual(large.map(({ value }) => value));
}, 180_000);

it('keeps messages that are too large to fit whole into the dead-letter topic', async () => {
  await setLimit(topic, 20 * mebibyte);
  const headers = encoded([
    [header.requestId, 'r-1'],
    ['huge', Buffer.alloc(3 * mebibyte, 7)],
  ]);
  const full = Buffer.alloc(2 * mebibyte - 200, 'f');
  const huge: SizedMessage[] = [
    { key: null, value: full, encodedHeaders: encoded([]) },
    { key: Buffer.alloc(mebibyte, 'k'), value: Buffer.alloc(9 * mebibyte, 'v'), encodedHeaders: headers },
    { key: null, value: null, encodedHeaders: headers },
  ];
  for (const message of huge) await eventually(() => produce([{ ...message, partition: 2 }]));
  await produce([{ value: 'good', partition: 2 }]);
  const good = await refuseAll();
  await untilConfirmed();
  expect(good).toEqual(['good']);

  const newestLetters = await read(3);
  expect(newestLetters.map(({ damage }) => damage)).toEqual([undefined, undefined, undefined]);
  expectSame(newestLetters.toReversed(), huge);
  const newest = await read(1);
  expectSame(newest, huge.slice(2));
  const search = { requestId: 'r-1', topics: [topic], from: 0, until: 1 };
  const ofRequest = (await findMessages(kafka, search)).letters;
  expect(ofRequest.map(({ id }) => id).toSorted()).toEqual([newestLetters[0]?.id, newestLetters[1]?.id].toSorted());

  const { replayed, refused } = await letters.replay(newestLetters);
  expect([replayed.length, refused]).toEqual([3, []]);
  await untilConfirmed();
  expect((await read()).map(({ id }) => id)).toEqual(newestLetters.map(({ id }) => id));
  expect(await letters.count([topic])).toEqual(new Map([[topic, 3]]));
  expect(await letters.read({ topics: [topic], limit: 100, isEach: true })).toHaveLength(6);
}, 180_000);

/** Compares without printing differences, which could be megabytes. */
function expectSame(letters: readonly DeadLetter[], sent: readonly SizedMessage[]): void {
  expect(letters).toHaveLength(sent.length);
  for (const [i, { key, value, encodedHeaders }] of letters.entries()) {
    const expected = sent[i] && sameAs(sent[i]);
    const pairs = [
      [key, expected?.key],
      [value, expected?.value],
      [encodedHeaders, expected?.encodedHeaders],
    ];
    expect(pairs.map(([a, b]) => a === b || (a && b && a.equals(b)))).toEqual([true, true, true]);
  }
}

it('makes its batches and parts as small as the dead-letter topic requires', async () => {
  await setLimit(box, 1_200);
  const sent = Array.from({ length: 30 }, (_, i) => ({ value: `${i} `.padEnd(i * 300, 'z'), partition: 0 }));
  await produce(sent);
  await refuseAll();
  await untilConfirmed();
  const letters = (await read()).toSorted((a, b) => Number(a.offset) - Number(b.offset));
  expect(letters.map(({ value }) => String(value))).toEqual(sent.map(({ value }) => value));
}, 180_000);

it('reports missing parts of a letter, and does not replay it', async () => {
  await setLimit(topic, 6 * mebibyte);
  // The broker takes a moment to apply the limit, and refuses the message until then.
  await eventually(() => produce([{ value: Buffer.alloc(5 * mebibyte), partition: 0 }]));
  await produce([{ value: 'whole', partition: 0 }]);
  await refuseAll();
  await untilConfirmed();
  await withAdmin(kafka, async (admin) => {
    await admin.fetchTopicOffsets(box);
    await admin.deleteTopicRecords({ topic: box, partitions: [{ partition: 0, offset: '2' }] });
  });
  const readLetters = await read();
  expect(readLetters.map(({ value, damage }) => [value?.toString(), damage !== undefined])).toEqual([
    ['whole', false],
    [undefined, true],
  ]);
  const { replayed, refused } = await letters.replay(readLetters);
  expect(replayed.map(({ value }) => String(value))).toEqual(['whole']);
  expect(refused).toMatchObject([{ letter: { offset: '0' }, why: 'parts of it are missing' }]);
});

it('creates a deleted dead-letter topic again', async () => {
  await refuseAll();
  await produce([{ value: 'first', partition: 0 }]);
  await untilConfirmed();
  await deleteTopic(kafka, box);
  await produce([{ value: 'second', partition: 0 }]);
  await untilConfirmed();
  expect((await read()).map(({ value }) => String(value))).toEqual(['second']);
});

it('stops only the partition whose letters cannot be written, and reports it', async () => {
  await deleteTopic(kafka, box);
  await ensureDeadLetterTopic(kafka, { ...config, TOPIC_OVERRIDES: new Map([[box, { partitions: 3 }]]) }, topic);
  // The dead-letter topic takes no message at all.
  await setLimit(box, 10);
  await produce([{ value: 'refused', partition: 1 }]);
  const good = await refuseAll();
  const retries = async (): Promise<unknown> =>
    (await registry.getSingleMetric('sluice_consumer_retries_total')?.get())?.values;
  await eventually(async () => {
    expect(await retries()).toContainEqual(
      expect.objectContaining({ labels: expect.objectContaining({ topic, what: 'dead letters' }) as unknown }),
    );
  });
  await produce([0, 1, 2].map((partition) => ({ value: `good ${partition}`, partition })));
  await eventually(() => expect(good.toSorted()).toEqual(['good 0', 'good 2']));

  await setLimit(box, mebibyte);
  await untilConfirmed();
  expect(good.toSorted()).toEqual(['good 0', 'good 1', 'good 2']);
  expect((await read()).map(({ value }) => String(value))).toEqual(['refused']);
});

it('writes letters of one partition in order, even to a dead-letter topic of several partitions', async () => {
  await withAdmin(kafka, (admin) => admin.createPartitions({ topicPartitions: [{ topic: box, count: 2 }] }));
  const sent = Array.from({ length: 3_000 }, (_, i) => ({ value: String(i), partition: i % 3 }));
  await produce(sent);
  await refuseAll();
  await untilConfirmed();
  const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(box));
  expect(offsets.map(({ high }) => Number(high)).toSorted()).toEqual([1_000, 2_000]);
  const letters = (await read()).toReversed();
  for (const partition of [0, 1, 2]) {
    const numbers = letters.filter((letter) => letter.partition === partition).map(({ value }) => Number(value));
    expect(numbers).toEqual(
      sent.filter((message) => message.partition === partition).map(({ value }) => Number(value)),
    );
  }
});

const readTopicEnds = async (name: string): Promise<number[]> => {
  const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(name));
  return offsets.toSorted((a, b) => a.partition - b.partition).map(({ high }) => Number(high));
};

const aLetter = (part: Partial<DeadLetter> = {}): DeadLetter => ({
  id: 'x',
  topic,
  partition: 0,
  offset: '1',
  timestamp: 1,
  reason: 'r',
  refusedAt: 1,
  key: null,
  value: Buffer.from('v'),
  headers: {},
  encodedHeaders: encoded([]),
  ...part,
});

it('replays 300 letters of 8 kB, and names a letter too large for its topic while the others are sent', async () => {
  const many = Array.from({ length: 300 }, (_, i) => aLetter({ id: `${i}`, value: Buffer.alloc(8_000, `${i}`) }));
  expect(await letters.replay(many)).toMatchObject({ replayed: { length: 300 }, refused: [] });
  expect(await readTopicEnds(topic)).toEqual([300, 0, 0]);

  await setLimit(topic, 100_000);
  const noise = aLetter({
    id: 'noise',
    value: Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256)),
  });
  const plain = aLetter({ id: 'plain', value: Buffer.alloc(300_000) });
  const { replayed, refused } = await letters.replay([noise, ...many, plain]);
  expect(refused.map(({ letter }) => letter.id)).toEqual(['noise']);
  expect(replayed.map(({ id }) => id)).toEqual([...many.map(({ id }) => id), 'plain']);
  expect(await readTopicEnds(topic)).toEqual([601, 0, 0]);
});

it('sends nothing when the topic or partition of a letter no longer exists', async () => {
  const unknownPartition = aLetter({ id: 'no partition', partition: 7 });
  const lost = aLetter({ id: 'no topic', topic: `${topic}.x` });
  const { replayed, refused } = await letters.replay([aLetter(), unknownPartition, lost]);
  expect([replayed, await readTopicEnds(topic)]).toEqual([[], [0, 0, 0]]);
  expect(refused.map(({ letter, why }) => [letter.id, why])).toEqual([
    ['no partition', `${topic} has no partition 7 any more`],
    ['no topic', `there is no topic ${topic}.x any more`],
  ]);
});
