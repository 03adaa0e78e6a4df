import { eventually } from '@sluice/testing';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OutgoingMessage } from '@sluice/kafka';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { Spool } from './spool.js';
import { SpoolFolder } from './spool-folder.js';

// A limit on the size of files simulates a full disk: the same writes fail (EFBIG), it needs no privileges, and a quota
// fails in the same way. The programs import the sources next to this file, so they need the options of this process.

const mebibyte = 1024 * 1024;
const limits = { SPOOL_MAX_BYTES: 64 * mebibyte, SPOOL_MAX_AGE_MS: 60_000 };
let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sluice-disk-'));
});
afterEach(async () => {
  await rm(data, { recursive: true });
});

const messages = (...values: string[]): OutgoingMessage[] =>
  values.map((value) => ({ topic: 'test', key: 'k', value, headers: {} }));

const optionsOf = (program: string, settings: object): string[] => [
  ...process.execArgv,
  '--input-type=module',
  '-e',
  program,
  JSON.stringify(settings),
];

/** A spool whose thread has started, so that the deadline of a write covers the disk alone. */
async function aSpool(): Promise<Spool> {
  const spool = new Spool({ GATEWAY_DATA_DIR: data, ...limits });
  await spool.look();
  return spool;
}

/** Runs a program whose files cannot exceed `mebibytes`, and returns the JSON value that it prints. */
function runLimited(program: string, mebibytes: number): unknown {
  const settings = { data, name: `p${mebibytes}`, limits, brokers: inject('kafkaBrokers') };
  // The shell counts in blocks of 512 bytes.
  const script = `ulimit -f ${mebibytes * 2048}; exec "$0" "$@"`;
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath, ...optionsOf(program, settings)], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const said = stdout.split('\n').find((line) => line.startsWith('{"said":'));
  if (said === undefined) throw new Error(`the program said nothing: ${stdout} ${stderr}`);
  return (JSON.parse(said) as { said: unknown }).said;
}

const prelude = `
  import { writeSync } from 'node:fs';
  const { data, name, limits, brokers } = JSON.parse(process.argv[1]);
  const say = (said) => writeSync(1, '\\n' + JSON.stringify({ said }) + '\\n');`;

const openFolder = `${prelude}
  import { SpoolFolder } from './spool-folder.js';
  const folder = new SpoolFolder({ folder: data + '/spool', refusedFolder: data + '/refused', newName: name, maxBytes: 2 ** 30 });`;

/** Writes until the disk is full, then kills itself. */
const fill = `${openFolder}
  const some = (first) => Array.from({ length: 50 }, (_, i) => ({ topic: 't', key: 'k', value: String(first + i).padEnd(20_000), headers: '{}' }));
  let written = 0;
  try {
    for (;; written += 50) folder.append(some(written));
  } catch {
    say(written);
    process.kill(process.pid, 'SIGKILL');
  }`;

const empty = `${openFolder}
  folder.look(false);
  const values = [];
  let batch = folder.take(undefined, { messages: 20, bytes: 1e6 });
  for (; batch.place; batch = folder.take(batch.place, { messages: 20, bytes: 1e6 })) values.push(...batch.messages.map(({ value }) => Number(value)));
  say({ isInOrder: values.every((value, i) => value === i), delivered: values.length, rows: folder.state.rows });
  folder.close();`;

it('keeps all accepted messages on a full disk, empties itself there, then takes new messages', async () => {
  const before = await aSpool();
  await before.close();
  // The limit is smaller than a segment, so that a commit fails in the middle of a frame.
  const accepted = runLimited(fill, 7);
  expect(accepted).toBeGreaterThan(300);
  expect(runLimited(empty, 7)).toEqual({ isInOrder: true, delivered: accepted, rows: 0 });
  expect(readdirSync(join(data, 'spool'))).toEqual(['ballast']);

  const after = await aSpool();
  await after.write(messages('new'), false);
  expect(readdirSync(join(data, 'spool'))).toContain('ballast');
  await after.close();
});

const refuse = `${openFolder}
  const refuse = (value) => folder.refuse([{ seq: 1, acceptedAt: 0, wasTried: false, topic: 't', key: 'k', headers: '{}', value }], 'E');
  refuse('1');
  let failure;
  try {
    refuse('x'.repeat(2_000_000));
  } catch ({ code }) {
    failure = code;
  }
  refuse('2');
  say(failure);`;

it('writes a message to the refused file completely or not at all', async () => {
  expect(runLimited(refuse, 1)).toBe('EFBIG');
  const [name = ''] = readdirSync(join(data, 'refused'));
  const lines = (await readFile(join(data, 'refused', name), 'utf8')).trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { value: string }).value)).toEqual(['1', '2']);
});

const runOutbox = `${prelude}
  import { createKafka, ensureTopics, Sender } from '@sluice/kafka';
  import { Outbox } from './outbox.js';
  import { Spool } from './spool.js';
  const config = { KAFKA_BROKERS: brokers, TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
  const kafka = createKafka(config, 'test');
  await ensureTopics(kafka, config, [{ name: 'test', contract: 'test.v1' }]);
  const outbox = new Outbox(new Sender(kafka, ['test']), new Spool({ GATEWAY_DATA_DIR: data, ...limits }));
  await outbox.start();
  const { breaker, rows, unavailableReason } = outbox.state;
  while (outbox.state.breaker === 'open') await new Promise((resolve) => setTimeout(resolve, 50));
  say({ atStart: { breaker, rows, isRefusing: unavailableReason !== undefined }, atEnd: outbox.state.rows });
  await outbox.stop();`;

it('delivers the messages of a dead process on a disk without room even for the ballast', async () => {
  const spool = await aSpool();
  await spool.write(messages('1', '2', '3'), false);
  await spool.close();
  rmSync(join(data, 'spool', 'ballast'));

  const said = runLimited(runOutbox, 4);
  expect(said).toEqual({ atStart: { breaker: 'open', rows: 3, isRefusing: true }, atEnd: 0 });
  expect(readdirSync(data)).toEqual(['spool']);
});

it('refuses at once while the disk hangs, and takes messages again when it answers', async () => {
  const spool = await aSpool();
  await spool.write(messages('1'), false);
  const own = readdirSync(join(data, 'spool')).find((name) => name.endsWith('.spool')) ?? '';
  // Opening a pipe without a reader blocks like a disk that hangs.
  const pipe = join(data, 'spool', own, 'ballast.tmp');
  rmSync(join(data, 'spool', 'ballast'));
  execFileSync('mkfifo', [pipe]);

  await expect(spool.write(messages('2'), false)).rejects.toThrow('the disk did not answer in time');
  await eventually(() => expect(spool.unavailableReason).toBe('the disk does not answer'));
  await expect(spool.write(messages('3'), false)).rejects.toThrow('the disk does not answer');
  const look = spool.look();
  // Returns at once, because the first look is pending.
  await spool.look();

  closeSync(openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK));
  await look;
  expect(spool.unavailableReason).toBeUndefined();
  await spool.write(messages('4'), false);
  expect((await spool.next()).map(({ value }) => value)).toEqual(['1', '4']);
  await spool.close();
});

it('measures how long messages wait although the wall clock is set', async () => {
  const spool = await aSpool();
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    await spool.write(messages('1'), false);
    for (const byMs of [3_600_000, -7_200_000]) {
      vi.setSystemTime(Date.now() + byMs);
      expect(spool.oldestAgeMs).toBeLessThan(limits.SPOOL_MAX_AGE_MS);
      await spool.write(messages('2'), false);
    }
    const before = spool.oldestAgeMs;
    await eventually(() => expect(spool.oldestAgeMs).toBeGreaterThan(before + 20));
  } finally {
    vi.useRealTimers();
    await spool.close();
  }
});

it('detects a failing disk before it is needed, and detects when it works again', async () => {
  const spool = await aSpool();
  expect(spool.unavailableReason).toBeUndefined();
  const own = readdirSync(join(data, 'spool')).find((name) => name.endsWith('.spool')) ?? '';
  // A folder blocks the file that the probe writes.
  const inTheWay = join(data, 'spool', own, 'probe');
  mkdirSync(inTheWay);
  await expect(spool.look()).rejects.toThrow('EISDIR');
  expect(spool.unavailableReason).toContain('EISDIR');
  rmdirSync(inTheWay);
  await spool.look();
  expect(spool.unavailableReason).toBeUndefined();
  await spool.close();
});

/** Acknowledges messages endlessly, in commits of ten, and forgets some. */
const acknowledge = `${openFolder}
  const some = (first) => Array.from({ length: 10 }, (_, i) => ({ topic: 't', key: 'k', value: String(first + i).padEnd(700), headers: '{}' }));
  folder.look(false);
  let batch = folder.take(undefined, { messages: 20, bytes: 1e6 });
  let next = Number(process.env.FIRST);
  for (let turn = 0; ; turn++) {
    folder.append(some(next));
    next += 10;
    writeSync(1, 'w' + next + '\\n');
    if (turn % 3 === 0 && batch.messages.length > 0) writeSync(1, 'f' + (Number(batch.messages.at(-1).value) + 1) + '\\n');
    if (turn % 3 === 0) batch = folder.take(batch.place, { messages: 20, bytes: 1e6 });
  }`;

it('has all acknowledged messages after repeated kill -9 at any moment', async () => {
  let [written, forgotten] = [0, 0];
  for (let round = 0; round < 8; round++) {
    const settings = { data, name: `k${round}`, limits, brokers: '' };
    const child = spawn(process.execPath, optionsOf(acknowledge, settings), {
      cwd: import.meta.dirname,
      env: { ...process.env, FIRST: String(written) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(() => expect(output.length).toBeGreaterThan(200));
    await sleep(Math.random() * 200);
    child.kill('SIGKILL');
    await once(child, 'close');
    const said = (kind: string): number =>
      Math.max(
        0,
        ...output
          .split('\n')
          .slice(0, -1)
          .filter((line) => line.startsWith(kind))
          .map((line) => Number(line.slice(1))),
      );
    const folder = new SpoolFolder({
      folder: join(data, 'spool'),
      refusedFolder: join(data, 'refused'),
      newName: `r${round}`,
      maxBytes: 2 ** 30,
    });
    folder.look(false);
    const { messages: left } = folder.take(undefined, { messages: 1e6, bytes: 1e9 });
    const places = left.map(({ value }) => Number(value));
    expect(folder.state.damaged).toBe(0);
    folder.close();
    const first = places[0] ?? 0;
    expect(places).toEqual(places.map((_, index) => first + index));
    expect(first).toBeLessThanOrEqual(Math.max(forgotten, said('f')));
    forgotten = first;
    expect(first + places.length).toBeGreaterThanOrEqual(said('w'));
    written = first + places.length;
  }
  expect(written).toBeGreaterThan(500);
});
