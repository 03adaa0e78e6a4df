import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { header, identifyTopic } from '@sluice/contracts';
import { createKafka, ensureTopics, type Kafka } from '@sluice/kafka';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { runCommandLine } from '../run-command-line.js';
import { type ListedLetter } from './letter-view.js';

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
  let printed = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    printed += String(chunk);
    return true;
  });
  const exitCode = await runCommandLine(['dead-letters', ...args, '--json']).finally(() => spy.mockRestore());
  expect(exitCode).toBe(0);
  return JSON.parse(printed) as T;
}

/** Runs a command that must fail; resolves with its output. */
async function failing(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      output[name] += String(chunk);
      return true;
    }),
  );
  const exitCode = await runCommandLine(['dead-letters', ...args]).finally(() => {
    for (const spy of spies) spy.mockRestore();
  });
  expect(exitCode).toBe(1);
  return output;
}

const letterId = (offset: number): string => `${topic}:1:${offset}@1700000000000`;
const endOfTopic = async (): Promise<number> => {
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  return Number(ends.find(({ partition }) => partition === 1)?.high);
};

it('lists each letter once, newest first, and shows its message', async () => {
  const letters = await operator<ListedLetter[]>('list', '--reason', reason);
  expect(letters.map(({ id }) => id)).toEqual([letterId(8), letterId(7)]);
  expect(await operator<ListedLetter[]>('list', '--reason', reason, '--limit', '1')).toHaveLength(1);
  expect(await operator('list', '--topic', 'tracking.track.v1', '--reason', reason)).toEqual([]);

  expect(await operator('show', letterId(7))).toMatchObject({
    id: letterId(7),
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
  expect(dry).toMatchObject({ replayed: false, letters: [{ id: letterId(8) }, { id: letterId(7) }] });
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
        'dead-letter-first': letterId(offset),
      },
    })),
  );
});

it('shows and replays a message that is refused after each replay once, as it was refused last', async () => {
  const refuseAgain = (offset: number, timestamp: number, why = reason) => {
    const { headers, ...letter } = aLetter(timestamp);
    const place = { 'dead-letter-reason': why, 'dead-letter-first': letterId(offset) };
    return { ...letter, value: `value ${offset} at ${timestamp}`, headers: { ...headers, ...place } };
  };
  await bury([refuseAgain(7, 120), refuseAgain(8, 121), refuseAgain(7, 122), refuseAgain(8, 123, 'another reason')]);
  const letters = await operator<ListedLetter[]>('list', '--reason', reason);
  expect(letters.map(({ id }) => id)).toEqual([letterId(7)]);
  expect(await operator('show', letterId(7))).toMatchObject({ id: letterId(7), value: 'value 7 at 122' });
  expect(await operator('show', letterId(8))).toMatchObject({ id: letterId(8), reason: 'another reason' });

  const before = await endOfTopic();
  await operator('replay', letterId(7), letterId(8));
  const messages = (await readFrom(before, 2)) as { value: string; headers: Record<string, string> }[];
  expect(messages.map(({ value, headers }) => [value, headers['dead-letter-first']])).toEqual([
    ['value 7 at 122', letterId(7)],
    ['value 8 at 123', letterId(8)],
  ]);
});

it('treats a letter as a first one if the first letter that it names is of another partition or later', async () => {
  const { headers, ...letter } = aLetter(30);
  const naming = (offset: number, first: string) => ({
    ...letter,
    headers: { ...headers, 'dead-letter-offset': String(offset), 'dead-letter-first': first },
  });
  const unknownIds = [`${topic}:0:7@1700000000000`, `other:1:7@1700000000000`, `${topic}:1:7@1800000000000`, 'nothing'];
  await bury(unknownIds.map((first, n) => naming(40 + n, first)));
  const letters = await operator<ListedLetter[]>('list', '--reason', reason);
  expect(new Set(letters.map(({ id }) => id))).toEqual(new Set([7, 8, 40, 41, 42, 43].map(letterId)));
});

it('replays nothing when the partition of a letter no longer exists, and names the letter', async () => {
  const before = await endOfTopic();
  const missingLetter = aLetter(9);
  await bury([{ ...missingLetter, headers: { ...missingLetter.headers, 'dead-letter-partition': '70' } }]);
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
      'dead-letter-part-of': letterId(offset),
      'dead-letter-part': `${from}-${to}/${body.length}`,
    },
  });
  await bury([part(21, 4, body.length), part(21, 0, 4), part(22, 0, 4)]);

  expect(await operator('show', letterId(21))).toMatchObject({ key: 'key', value: 'value', headers: {} });
  const damage = { missingBytes: body.length - 4, allBytes: body.length };
  expect(await operator('show', letterId(22))).toMatchObject({ value: null, damage });
  expect(await operator<ListedLetter[]>('list', '--reason', reason, '--limit', '1')).toMatchObject([{ damage }]);

  const before = await endOfTopic();
  const { stdout, stderr } = await failing('replay', letterId(21), letterId(22));
  expect(stdout).toContain('Replayed: 1');
  expect(stderr).toBe(`error: 1 of 2 letters were replayed\n${letterId(22)}: parts of it are missing\n`);
  expect(await endOfTopic()).toBe(before + 1);
});

it('dismisses untreated letters that match, with a reason, and each once', async () => {
  const why = ['--why', 'test data'];
  const dry = { dismissed: false, letters: [letterId(8), letterId(7)] };
  expect(await operator('dismiss', '--reason', reason, ...why, '--dry-run')).toEqual(dry);
  expect(await operator('dismiss', '--reason', reason, '--to', '2020-01-01T00:00:00Z', ...why)).toMatchObject({
    letters: [],
  });
  expect(await operator('dismiss', letterId(7), ...why)).toEqual({ dismissed: true, letters: [letterId(7)] });
  expect(await operator('dismiss', '--reason', reason, ...why)).toEqual({ dismissed: true, letters: [letterId(8)] });
  expect(await operator('dismiss', '--reason', reason, ...why)).toMatchObject({ letters: [] });
  // They stay, and a message that is refused again is untreated again.
  expect(await operator<ListedLetter[]>('list', '--reason', reason)).toHaveLength(2);
  await bury([{ ...aLetter(50), headers: { ...aLetter(50).headers, 'dead-letter-first': letterId(7) } }]);
  expect(await operator('dismiss', '--reason', reason, ...why, '--dry-run')).toMatchObject({ letters: [letterId(7)] });

  expect((await failing('dismiss', ...why)).stderr).toContain('name letters, conditions such as --reason, or --all');
  expect((await failing('dismiss', '--all')).stderr).toContain('--why');
  expect((await failing('dismiss', letterId(99), ...why)).stderr).toContain('nothing was dismissed');
});

it('selects letters by the source of their message, and by time', async () => {
  await bury([{ ...aLetter(60), key: 'Ab3dEf6hIj9k:user' }]);
  const select = async (...args: string[]): Promise<string[]> =>
    (await operator<ListedLetter[]>('list', '--reason', reason, ...args)).map(({ id }) => id);
  expect(await select('--source', 'Ab3dEf6hIj9k')).toEqual([letterId(60)]);
  expect(await select('--from', '2999-01-01T00:00:00Z')).toEqual([]);
  expect(await select('--to', '2999-01-01T00:00:00Z')).toHaveLength(3);
  expect((await failing('list', '--from', 'yesterday')).stderr).toContain('--from must be a time');
});

async function readFrom(offset: number, count: number) {
  const replayed: unknown[] = [];
  const consumer = kafka.consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ partition, message: { key, value, headers, offset: messageOffset } }) => {
      if (partition === 1 && Number(messageOffset) >= offset) {
        const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)]);
        replayed.push({
          key: key?.toString(),
          value: value?.toString(),
          headers: Object.fromEntries(texts) as unknown,
        });
      }
      return Promise.resolve();
    },
  });
  await eventually(() => expect(replayed.length).toBeGreaterThanOrEqual(count));
  await consumer.disconnect();
  return replayed;
}
