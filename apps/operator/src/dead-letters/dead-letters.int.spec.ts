import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { header, identifyTopic } from '@sluice/contracts';
import { createKafka, ensureTopics, type Kafka } from '@sluice/kafka';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { runOperator } from '../run-operator.js';
import { type LetterView } from './letter-view.js';

interface Message {
  readonly key?: string;
  readonly value: string | Buffer;
  readonly headers: Record<string, string>;
}

const topic = identifyTopic.name;
let kafka: Kafka;
let reason: string;

beforeEach(async () => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
  const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 2, TOPIC_REPLICATION_FACTOR: 1 };
  kafka = createKafka(config, 'test');
  await ensureTopics(kafka, config, [identifyTopic]);
  reason = `refused by ${randomUUID()}`;
  // A consumer that died before it committed wrote the first letter twice.
  await bury([aLetter(7), aLetter(7), aLetter(8)]);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const aLetter = (offset: number) => ({
  key: 'key',
  value: `value ${offset}`,
  headers: {
    [header.contract]: 'identify.v1',
    'dead-letter-reason': reason,
    'dead-letter-topic': topic,
    'dead-letter-partition': '1',
    'dead-letter-offset': String(offset),
    'dead-letter-timestamp': '1700000000000',
  },
});

async function bury(messages: readonly Message[]): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  // Sent in turn, so that their order is certain.
  for (const message of messages) await producer.send({ topic: `${topic}.dlq`, messages: [message] });
  await producer.disconnect();
}

async function operator<T>(...args: string[]): Promise<T> {
  let written = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written += String(chunk);
    return true;
  });
  const exitCode = await runOperator(['dead-letters', ...args, '--json']).finally(() => spy.mockRestore());
  expect(exitCode).toBe(0);
  return JSON.parse(written) as T;
}

/** Runs a command that must fail; resolves with its output. */
async function failing(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk);
      return true;
    }),
  );
  const exitCode = await runOperator(['dead-letters', ...args]).finally(() => {
    for (const spy of spies) spy.mockRestore();
  });
  expect(exitCode).toBe(1);
  return written;
}

const idOf = (offset: number): string => `${topic}:1:${offset}@1700000000000`;
const endOfTopic = async (): Promise<number> => {
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  return Number(ends.find(({ partition }) => partition === 1)?.high);
};

it('lists each letter once, newest first, and shows its message', async () => {
  const letters = await operator<LetterView[]>('list', '--reason', reason);
  expect(letters.map(({ id }) => id)).toEqual([idOf(8), idOf(7)]);
  expect(await operator<LetterView[]>('list', '--reason', reason, '--limit', '1')).toHaveLength(1);
  expect(await operator('list', '--topic', 'tracking.track.v1', '--reason', reason)).toEqual([]);

  expect(await operator('show', idOf(7))).toMatchObject({
    id: idOf(7),
    reason,
    key: 'key',
    value: 'value 7',
    headers: { [header.contract]: 'identify.v1' },
    takenAt: '2023-11-14T22:13:20.000Z',
  });
});

it('replays messages unchanged into their partition, marked as possible repeats', async () => {
  const before = await endOfTopic();
  const dry = await operator('replay', '--reason', reason, '--dry-run');
  expect(dry).toMatchObject({ replayed: false, letters: [{ id: idOf(8) }, { id: idOf(7) }] });
  expect(await endOfTopic()).toBe(before);

  expect(await operator('replay', '--reason', reason)).toMatchObject({ replayed: true });
  expect(await endOfTopic()).toBe(before + 2);
  const messages = await readFrom(before, 2);
  expect(messages).toEqual(
    [7, 8].map((offset) => ({
      key: 'key',
      value: `value ${offset}`,
      headers: {
        [header.contract]: 'identify.v1',
        [header.possibleRepeat]: '1',
        'dead-letter-first': idOf(offset),
      },
    })),
  );
});

it('shows and replays a message that is refused after each replay once, as it was refused last', async () => {
  const again = (offset: number, at: number, why = reason) => {
    const { headers, ...letter } = aLetter(at);
    const place = { 'dead-letter-reason': why, 'dead-letter-first': idOf(offset) };
    return { ...letter, value: `value ${offset} at ${at}`, headers: { ...headers, ...place } };
  };
  await bury([again(7, 120), again(8, 121), again(7, 122), again(8, 123, 'another reason')]);
  const letters = await operator<LetterView[]>('list', '--reason', reason);
  expect(letters.map(({ id }) => id)).toEqual([idOf(7)]);
  expect(await operator('show', idOf(7))).toMatchObject({ id: idOf(7), value: 'value 7 at 122' });
  expect(await operator('show', idOf(8))).toMatchObject({ id: idOf(8), reason: 'another reason' });

  const before = await endOfTopic();
  await operator('replay', idOf(7), idOf(8));
  const messages = (await readFrom(before, 2)) as { value: string; headers: Record<string, string> }[];
  expect(messages.map(({ value, headers }) => [value, headers['dead-letter-first']])).toEqual([
    ['value 7 at 122', idOf(7)],
    ['value 8 at 123', idOf(8)],
  ]);
});

it('treats a letter as a first one if the first letter that it names is of another partition or later', async () => {
  const { headers, ...letter } = aLetter(30);
  const naming = (offset: number, first: string) => ({
    ...letter,
    headers: { ...headers, 'dead-letter-offset': String(offset), 'dead-letter-first': first },
  });
  const other = [`${topic}:0:7@1700000000000`, `other:1:7@1700000000000`, `${topic}:1:7@1800000000000`, 'nothing'];
  await bury(other.map((first, n) => naming(40 + n, first)));
  const letters = await operator<LetterView[]>('list', '--reason', reason);
  expect(new Set(letters.map(({ id }) => id))).toEqual(new Set([7, 8, 40, 41, 42, 43].map(idOf)));
});

it('replays nothing when the partition of a letter no longer exists, and names the letter', async () => {
  const before = await endOfTopic();
  const gone = aLetter(9);
  await bury([{ ...gone, headers: { ...gone.headers, 'dead-letter-partition': '70' } }]);
  const { stdout, stderr } = await failing('replay', '--reason', reason);
  expect(stdout).toBe('');
  expect(stderr).toBe(
    `error: 0 of 3 letters were replayed\n${topic}:70:9@1700000000000: ${topic} has no partition 70 any more\n`,
  );
  expect(await endOfTopic()).toBe(before);
});

it('shows a letter of several parts as one, reports missing parts, and replays only complete letters', async () => {
  // A record of `key` and `value` without headers, divided into two parts; the second letter lacks its last part.
  const body = Buffer.from('\x06key\x0avalue\x00');
  const part = (offset: number, from: number, to: number) => ({
    value: body.subarray(from, to),
    headers: {
      'dead-letter-reason': reason,
      'dead-letter-part-of': idOf(offset),
      'dead-letter-part': `${from}-${to}/${body.length}`,
    },
  });
  await bury([part(21, 4, body.length), part(21, 0, 4), part(22, 0, 4)]);

  expect(await operator('show', idOf(21))).toMatchObject({ key: 'key', value: 'value', headers: {} });
  const damage = { missingBytes: body.length - 4, allBytes: body.length };
  expect(await operator('show', idOf(22))).toMatchObject({ value: null, damage });
  expect(await operator<LetterView[]>('list', '--reason', reason, '--limit', '1')).toMatchObject([{ damage }]);

  const before = await endOfTopic();
  const { stdout, stderr } = await failing('replay', idOf(21), idOf(22));
  expect(stdout).toContain('Replayed: 1');
  expect(stderr).toBe(`error: 1 of 2 letters were replayed\n${idOf(22)}: parts of it are missing\n`);
  expect(await endOfTopic()).toBe(before + 1);
});

async function readFrom(offset: number, count: number) {
  const read: unknown[] = [];
  const consumer = kafka.consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ partition, message: { key, value, headers, offset: at } }) => {
      if (partition === 1 && Number(at) >= offset) {
        const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)]);
        read.push({ key: key?.toString(), value: value?.toString(), headers: Object.fromEntries(texts) as unknown });
      }
      return Promise.resolve();
    },
  });
  await eventually(() => expect(read.length).toBeGreaterThanOrEqual(count));
  await consumer.disconnect();
  return read;
}
