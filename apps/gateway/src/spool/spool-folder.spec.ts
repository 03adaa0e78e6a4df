import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MessageQueue } from './message-queue.js';
import { SpoolFolder } from './spool-folder.js';
import { type MessageToSpool } from './spooled-message.js';

const limits = { messages: 3, bytes: 1_000_000 };
const maxBytes = 64 * 1024 * 1024;
let root: string;
const open: SpoolFolder[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
});
afterEach(() => {
  for (const folder of open.splice(0)) folder.close();
  rmSync(root, { recursive: true });
});

function aFolder(newName: string, bytes = maxBytes): SpoolFolder {
  const options = { folder: join(root, 'spool'), refusedFolder: join(root, 'refused'), newName, maxBytes: bytes };
  const folder = new SpoolFolder(options);
  open.push(folder);
  return folder;
}
const close = (folder: SpoolFolder): void => {
  open.splice(open.indexOf(folder), 1);
  folder.close();
};

const aMessage = (value: string): MessageToSpool => ({ topic: 't', key: 'k', value, headers: '{}' });
const some = (...values: string[]): MessageToSpool[] => values.map(aMessage);
const valuesOf = (messages: readonly MessageToSpool[]): string[] => messages.map(({ value }) => String(value));
const queues = (): string[] => readdirSync(join(root, 'spool')).filter((name) => name.endsWith('.spool'));
const refusedLines = (): { reason: string; value: string }[] =>
  readdirSync(join(root, 'refused'))
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) =>
      readFileSync(join(root, 'refused', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as { reason: string; value: string });

/** Takes all waiting messages, and returns their values in order. */
function drained(folder: SpoolFolder): string[] {
  const values: string[] = [];
  for (let batch = folder.take(undefined, limits); batch.place; batch = folder.take(batch.place, limits)) {
    values.push(...valuesOf(batch.messages));
  }
  return values;
}

it('returns written messages in order and in batches, with bytes as bytes', () => {
  const folder = aFolder('a');
  folder.append(some('1', '2'));
  folder.append([...some('3'), { ...aMessage('4'), value: Buffer.from('4') }]);
  expect(folder.state.rows).toBe(4);

  const first = folder.take(undefined, limits);
  expect(valuesOf(first.messages)).toEqual(['1', '2', '3']);
  const second = folder.take(first.place, limits);
  expect(Buffer.from(second.messages[0]?.value as Uint8Array).toString()).toBe('4');
  expect(folder.take(second.place, limits)).toEqual({ messages: [], place: undefined });
  expect(folder.state).toMatchObject({ rows: 0, oldestAt: undefined });
});

it('returns the same messages again, marked as tried, until they are delivered', () => {
  const folder = aFolder('a');
  folder.append(some('1', '2'));
  expect(folder.take(undefined, limits).messages.map(({ wasTried }) => wasTried)).toEqual([false, false]);
  folder.append(some('3'));
  expect(folder.take(undefined, limits).messages.map(({ value, wasTried }) => [value, wasTried])).toEqual([
    ['1', true],
    ['2', true],
    ['3', false],
  ]);
});

it('continues the queue of an ended process, and knows which messages that process had tried', () => {
  const first = aFolder('a');
  first.append(some('1', '2', '3', '4'));
  first.take(undefined, limits);
  close(first);

  const second = aFolder('b');
  second.append(some('5'));
  expect(queues()).toEqual(['a.spool']);
  const tried = second.take(undefined, limits);
  expect(tried.messages.map(({ wasTried }) => wasTried)).toEqual([true, true, true]);
  expect(second.take(tried.place, limits).messages.map(({ value, wasTried }) => [value, wasTried])).toEqual([
    ['4', false],
    ['5', false],
  ]);
});

it('leaves the queue of a live process alone, and adopts it when the process is dead', () => {
  const [one, two, three] = [aFolder('a'), aFolder('b'), aFolder('c')];
  one.append(some('1'));
  two.append(some('2'));
  three.append(some('3'));
  three.look(false);
  expect(queues()).toHaveLength(3);
  expect(three.state.rows).toBe(1);

  close(one);
  close(two);
  three.look(false);
  expect(drained(three)).toEqual(['1', '2', '3']);
  expect(queues()).toEqual(['c.spool']);
  close(three);
  expect(readdirSync(join(root, 'spool'))).toEqual(['ballast']);
});

it('takes all of a request or nothing, up to its limit, and takes more when there is room again', () => {
  const folder = aFolder('a', 256 * 1024);
  const large = 'x'.repeat(20_000);
  let written = 0;
  expect(() => {
    for (; written < 1_000; written++) folder.append(some(large));
  }).toThrow(/full/);
  expect(written).toBeGreaterThan(5);
  expect(() => folder.append(some('small', large, large))).toThrow(/full/);
  expect(folder.state.rows).toBe(written);

  expect(drained(folder)).toHaveLength(written);
  folder.append(some(large));
  expect(drained(folder)).toEqual([large]);
});

it('sets damaged messages aside and delivers the others', () => {
  const first = aFolder('a');
  first.append(some('good', 'bad', 'fine'));
  close(first);
  change('a', 'bad', 'gad');

  const second = aFolder('b');
  second.look(false);
  expect(drained(second)).toEqual(['good', 'fine']);
  expect(second.state).toMatchObject({
    damaged: 1,
    damageFound: { damages: 1, last: '1 messages from place 2 of a.spool' },
  });
  const [name = ''] = readdirSync(join(root, 'refused'));
  expect(name).toBe('damaged-1-a.spool-2.bin');
  expect(readFileSync(join(root, 'refused', name), 'latin1')).toContain('gad');
});

it('keeps messages that Kafka refuses, with the reason', () => {
  const folder = aFolder('a');
  folder.append(some('1'));
  folder.refuse(folder.take(undefined, limits).messages, 'MESSAGE_TOO_LARGE');
  expect(refusedLines()).toMatchObject([{ reason: 'refused by Kafka', error: 'MESSAGE_TOO_LARGE', value: '1' }]);
  expect(folder.state.refused).toBe(1);
  expect(existsSync(join(root, 'spool', 'ballast'))).toBe(true);
});

it('counts the messages in the refused folder, also of other processes, until the files are removed', () => {
  const first = aFolder('a');
  first.append(some('1', '2', 'a line of its own, whatever is in it: \n'));
  first.refuse(first.take(undefined, limits).messages, 'MESSAGE_TOO_LARGE');
  writeFileSync(join(root, 'refused', 'damaged-7-b.spool-12.bin'), 'seven of them');

  const second = aFolder('c');
  second.look(false);
  expect(second.state).toMatchObject({ refused: 3, damaged: 7 });

  first.refuse(first.take(undefined, limits).messages, 'MESSAGE_TOO_LARGE');
  second.look(false);
  expect(second.state.refused).toBe(6);

  rmSync(join(root, 'refused'), { recursive: true });
  second.look(false);
  expect(second.state).toMatchObject({ refused: 0, damaged: 0 });
});

/** Changes text in the segments of a closed queue. */
function change(name: string, from: string, to: string): void {
  const folder = join(root, 'spool', `${name}.spool`);
  for (const segment of readdirSync(folder).filter((one) => one.endsWith('.log'))) {
    const content = readFileSync(join(folder, segment), 'latin1');
    writeFileSync(join(folder, segment), content.replaceAll(from, to), 'latin1');
  }
}

it('keeps every key unchanged', () => {
  const keys = [
    'a\u0000b',
    '\u0000',
    '',
    'Straße\u2028\ufeff🚀\u0007',
    'k'.repeat(100_000),
    "'; DROP TABLE messages; --",
  ];
  const first = aFolder('a');
  first.append(keys.map((key) => ({ ...aMessage('1'), key })));
  first.append([{ ...aMessage('1'), key: 'lone \ud800' }]);
  close(first);

  const second = aFolder('b');
  second.look(false);
  const { messages } = second.take(undefined, { ...limits, messages: 100 });
  // A lone surrogate is replaced, as it would be for Kafka.
  expect(messages.map(({ key }) => key)).toEqual([...keys, 'lone \ufffd']);
  expect(second.state.damaged).toBe(0);
});

it('forgets no message that was not taken, although a call failed in between', () => {
  const first = aFolder('a');
  first.append(some('1', '2', '3', '4', 'bad', '6'));
  close(first);
  change('a', 'bad', 'bed');

  const second = aFolder('b');
  second.look(false);
  const { messages, place } = second.take(undefined, limits);
  expect(valuesOf(messages)).toEqual(['1', '2', '3']);
  writeFileSync(join(root, 'refused'), 'no folder');
  expect(() => second.take(place, limits)).toThrow();
  expect(() => second.take(place, limits)).toThrow();
  rmSync(join(root, 'refused'));
  const next = second.take(place, limits);
  expect(valuesOf(next.messages)).toEqual(['4', '6']);
  expect(valuesOf(second.take(place, limits).messages)).toEqual(['4', '6']);
  expect(second.take(next.place, limits).messages).toEqual([]);
});

it('reports damage once, however often its batch is taken', () => {
  const first = aFolder('a');
  first.append(some('1', 'bad', '3', 'bad too'));
  close(first);
  change('a', 'bad', 'bed');

  const second = aFolder('b');
  second.look(false);
  second.take(undefined, { ...limits, messages: 4 });
  second.take(undefined, { ...limits, messages: 4 });
  expect(drained(second)).toEqual(['1', '3']);
  expect(second.state).toMatchObject({ rows: 0, damaged: 2, damageFound: { damages: 2 } });
});

it('works although a leftover queue cannot be opened, and adopts it when it can be', () => {
  const first = aFolder('a');
  first.append(some('1'));
  close(first);
  const [path, aside] = [join(root, 'spool', 'a.spool'), join(root, 'aside')];
  renameSync(path, aside);
  writeFileSync(path, 'no folder');

  const second = aFolder('b');
  second.append(some('2'));
  second.look(false);
  expect(drained(second)).toEqual(['2']);
  expect(second.state).toMatchObject({ damaged: 1, unopened: [expect.stringContaining('a.spool: Error: ENOTDIR')] });

  rmSync(path);
  renameSync(aside, path);
  second.look(false);
  expect(drained(second)).toEqual(['1']);
  expect(second.state.unopened).toEqual([]);
});

it('chooses another name when a process that starts at the same time holds its new queue', () => {
  mkdirSync(join(root, 'spool'));
  const held = MessageQueue.make(join(root, 'spool', 'a.spool'), maxBytes);
  const folder = aFolder('a');
  folder.append(some('1'));
  expect(queues()).toHaveLength(2);
  held.close();
  expect(drained(folder)).toEqual(['1']);
});

it('removes unfinished files of dead processes, and nothing else', () => {
  const first = aFolder('a');
  first.append(some('1'));
  close(first);
  const spool = (...path: string[]): string => join(root, 'spool', ...path);
  const leave = (path: string): void => {
    const anHourAgo = Date.now() / 1_000 - 3_600;
    writeFileSync(path, 'left');
    utimesSync(path, anHourAgo, anHourAgo);
  };
  for (const name of ['ballast.tmp', 'probe']) leave(spool('a.spool', name));
  mkdirSync(spool('z.spool.gone'));
  for (const path of [spool('z.spool.gone', 'lock'), spool('mine')]) leave(path);

  const second = aFolder('b');
  second.look(false);
  expect(readdirSync(spool()).sort()).toEqual(['a.spool', 'ballast', 'mine']);
  expect(readdirSync(spool('a.spool')).filter((name) => !name.endsWith('.log'))).toEqual(['cursor', 'lock']);
  expect(drained(second)).toEqual(['1']);
});

it('a look that requires room fails while the queue is full, and succeeds when it is empty', () => {
  const folder = aFolder('a', 256 * 1024);
  expect(() => {
    for (;;) folder.append(some('x'.repeat(20_000)));
  }).toThrow(/full/);
  expect(() => folder.look(true)).toThrow(/full/);
  drained(folder);
  folder.look(true);
});

it('counts bytes, not characters', () => {
  const folder = aFolder('a');
  folder.append(some(...Array.from({ length: 3 }, () => '€'.repeat(100))));
  expect(folder.take(undefined, { messages: 3, bytes: 700 }).messages).toHaveLength(2);
});

it('lets only its own user read data of clients, also in a folder that already existed', () => {
  for (const name of ['spool', 'refused']) {
    mkdirSync(join(root, name));
    chmodSync(join(root, name), 0o755);
  }
  const folder = aFolder('a');
  folder.append(some('1'));
  folder.refuse(folder.take(undefined, limits).messages, 'MESSAGE_TOO_LARGE');
  const modeOf = (...path: string[]): number => statSync(join(root, ...path)).mode & 0o777;
  expect(['spool', 'refused'].map((name) => modeOf(name))).toEqual([0o700, 0o700]);
  expect(modeOf('spool', 'a.spool')).toBe(0o700);
  const inside = [['spool', 'a.spool'], ['refused']].flatMap((path) =>
    readdirSync(join(root, ...path)).map((one) => modeOf(...path, one)),
  );
  expect(inside).toHaveLength(4);
  expect(new Set([...inside, modeOf('spool', 'ballast')])).toEqual(new Set([0o600]));
});
