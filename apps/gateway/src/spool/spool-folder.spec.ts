import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SpoolFile } from './spool-file.js';
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
const files = (): string[] => readdirSync(join(root, 'spool')).filter((name) => name.endsWith('.db'));
const refusedLines = (): { reason: string; value: string }[] =>
  readdirSync(join(root, 'refused'))
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) =>
      readFileSync(join(root, 'refused', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as { reason: string; value: string });

/** All that waits, in its order. */
function drained(folder: SpoolFolder): string[] {
  const values: string[] = [];
  for (let batch = folder.take(undefined, limits); batch.place; batch = folder.take(batch.place, limits)) {
    values.push(...valuesOf(batch.messages));
  }
  return values;
}

it('gives back what was written, in its order, in batches, bytes as bytes', () => {
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

it('gives the same again until it is delivered, then marked as tried', () => {
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

it('continues the file of a process that ended, and knows what that process had tried', () => {
  const first = aFolder('a');
  first.append(some('1', '2', '3', '4'));
  first.take(undefined, limits);
  close(first);

  const second = aFolder('b');
  second.append(some('5'));
  expect(files()).toEqual(['a.spool.db']);
  const tried = second.take(undefined, limits);
  expect(tried.messages.map(({ wasTried }) => wasTried)).toEqual([true, true, true]);
  expect(second.take(tried.place, limits).messages.map(({ value, wasTried }) => [value, wasTried])).toEqual([
    ['4', false],
    ['5', false],
  ]);
});

it('leaves the file of a process that lives alone, and adopts it when that is dead', () => {
  const [one, two, three] = [aFolder('a'), aFolder('b'), aFolder('c')];
  one.append(some('1'));
  two.append(some('2'));
  three.append(some('3'));
  three.look(false);
  expect(files()).toHaveLength(3);
  expect(three.state.rows).toBe(1);

  close(one);
  close(two);
  three.look(false);
  expect(drained(three)).toEqual(['1', '2', '3']);
  expect(files()).toEqual(['c.spool.db']);
  close(three);
  expect(readdirSync(join(root, 'spool'))).toEqual(['ballast']);
});

it('takes no more than it may, all of a request or nothing, and takes again when there is room', () => {
  const folder = aFolder('a', 256 * 1024);
  const large = 'x'.repeat(20_000);
  let written = 0;
  expect(() => {
    for (; written < 1_000; written++) folder.append(some(large));
  }).toThrow(/full/);
  expect(written).toBeGreaterThan(5);
  expect(() => {
    folder.append(some('small', large, large));
  }).toThrow(/full/);
  expect(folder.state.rows).toBe(written);

  expect(drained(folder)).toHaveLength(written);
  folder.append(some(large));
  expect(drained(folder)).toEqual([large]);
});

it('puts rows that the disk changed into the refused file, and goes on', () => {
  const first = aFolder('a');
  first.append(some('good', 'bad', 'fine'));
  close(first);
  const db = new DatabaseSync(join(root, 'spool', 'a.spool.db'));
  db.exec(`UPDATE messages SET value = 'gad' WHERE value = 'bad'`);
  db.close();

  const second = aFolder('b');
  second.look(false);
  expect(drained(second)).toEqual(['good', 'fine']);
  expect(second.state.damaged).toBe(1);
  expect(refusedLines()).toMatchObject([{ reason: 'damaged on disk', value: 'gad' }]);
});

it('sets a file that SQLite cannot read aside', () => {
  const first = aFolder('a');
  first.append(some('1'));
  close(first);
  writeFileSync(join(root, 'spool', 'a.spool.db'), Buffer.alloc(100_000, 'no database'));

  const second = aFolder('b');
  second.append(some('2'));
  expect(drained(second)).toEqual(['2']);
  expect(second.state.damaged).toBe(1);
  expect(readdirSync(join(root, 'refused'))).toHaveLength(1);
});

it('keeps messages that Kafka refuses, with the reason', () => {
  const folder = aFolder('a');
  folder.append(some('1'));
  folder.refuse(folder.take(undefined, limits).messages, 'MESSAGE_TOO_LARGE');
  expect(refusedLines()).toMatchObject([{ reason: 'refused by Kafka', error: 'MESSAGE_TOO_LARGE', value: '1' }]);
  expect(folder.state.refused).toBe(1);
  expect(existsSync(join(root, 'spool', 'ballast'))).toBe(true);
});

it('counts what lies in the refused folder, of other processes too, until somebody takes it away', () => {
  const first = aFolder('a');
  first.append(some('1', '2', 'a line of its own, whatever is in it: \n'));
  first.refuse(first.take(undefined, limits).messages, 'MESSAGE_TOO_LARGE');
  writeFileSync(join(root, 'refused', 'at-some-time-b.spool.db'), 'set aside');

  const second = aFolder('c');
  second.look(false);
  expect(second.state).toMatchObject({ refused: 3, damaged: 1 });

  first.refuse(first.take(undefined, limits).messages, 'MESSAGE_TOO_LARGE');
  second.look(false);
  expect(second.state.refused).toBe(6);

  rmSync(join(root, 'refused'), { recursive: true });
  second.look(false);
  expect(second.state).toMatchObject({ refused: 0, damaged: 0 });
});

/** Changes what is in the file of a spool that is closed. */
function edit(name: string, sql: string): void {
  const db = new DatabaseSync(join(root, 'spool', `${name}.spool.db`));
  db.exec(sql);
  db.close();
}

it('keeps every key as it was', () => {
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

  const db = new DatabaseSync(join(root, 'spool', 'a.spool.db'));
  expect(db.prepare('SELECT length(key) AS n FROM messages').all().slice(0, 2)).toEqual([{ n: 3 }, { n: 1 }]);
  db.close();
  const second = aFolder('b');
  second.look(false);
  const { messages } = second.take(undefined, { ...limits, messages: 100 });
  // What Kafka would get of a lone surrogate, too.
  expect(messages.map(({ key }) => key)).toEqual([...keys, 'lone \ufffd']);
  expect(second.state.damaged).toBe(0);
});

it('empties the file of the version that kept keys as text, and writes to a new one', () => {
  const first = aFolder('a');
  first.append(some('1'));
  close(first);
  edit(
    'a',
    `ALTER TABLE messages RENAME TO newer;
     CREATE TABLE messages (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, topic TEXT NOT NULL,
       key TEXT NOT NULL, value ANY NOT NULL, headers TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
     INSERT INTO messages SELECT seq, at, topic, CAST(key AS TEXT), value, headers, crc FROM newer;
     DROP TABLE newer`,
  );
  const second = aFolder('b');
  second.append(some('2'));
  expect(drained(second)).toEqual(['1', '2']);
  expect(second.state.damaged).toBe(0);
});

it('forgets nothing that nobody was given, though it failed between', () => {
  const first = aFolder('a');
  first.append(some('1', '2', '3', '4', 'bad', '6'));
  close(first);
  edit('a', `UPDATE messages SET value = 'bed' WHERE value = 'bad'`);

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

it('tells of damaged rows once, however often their batch is taken', () => {
  const first = aFolder('a');
  first.append(some('1', 'bad', '3', 'bad too'));
  close(first);
  edit('a', `UPDATE messages SET value = 'changed' WHERE value LIKE 'bad%'`);

  const second = aFolder('b');
  second.look(false);
  second.take(undefined, { ...limits, messages: 4 });
  second.take(undefined, { ...limits, messages: 4 });
  expect(drained(second)).toEqual(['1', '3']);
  expect(second.state.damaged).toBe(2);
  expect(refusedLines()).toHaveLength(2);
});

it('goes on without a leftover that cannot be opened, and takes it when it can be', () => {
  const first = aFolder('a');
  first.append(some('1'));
  close(first);
  const [path, aside] = [join(root, 'spool', 'a.spool.db'), join(root, 'aside')];
  writeFileSync(aside, readFileSync(path));
  rmSync(path);
  // SQLite cannot open a folder.
  mkdirSync(path);

  const second = aFolder('b');
  second.append(some('2'));
  second.look(false);
  expect(drained(second)).toEqual(['2']);
  expect(second.state).toMatchObject({ damaged: 1, unopened: [expect.stringContaining('a.spool.db: Error')] });

  rmSync(path, { recursive: true });
  writeFileSync(path, readFileSync(aside));
  second.look(false);
  expect(drained(second)).toEqual(['1']);
  expect(second.state.unopened).toEqual([]);
});

it('takes another name when a process that starts at the same time holds its new file', () => {
  mkdirSync(join(root, 'spool'));
  const held = SpoolFile.open(join(root, 'spool', 'a.spool.db'), maxBytes);
  const folder = aFolder('a');
  folder.append(some('1'));
  expect(files()).toHaveLength(2);
  held.close();
  expect(drained(folder)).toEqual(['1']);
});

it('knows that there is no room again only when something new finds room', () => {
  const folder = aFolder('a', 256 * 1024);
  expect(() => {
    for (;;) folder.append(some('x'.repeat(20_000)));
  }).toThrow(/full/);
  expect(() => {
    folder.look(true);
  }).toThrow(/full/);
  drained(folder);
  folder.look(true);
});

it('counts bytes, not characters', () => {
  const folder = aFolder('a');
  folder.append(some(...Array.from({ length: 3 }, () => '€'.repeat(100))));
  expect(folder.take(undefined, { messages: 3, bytes: 700 }).messages).toHaveLength(2);
});

it('runs empty though somebody removed rows by hand', () => {
  const first = aFolder('a');
  first.append(some('1', '2', '3'));
  close(first);
  edit('a', `DELETE FROM messages WHERE value = '2'`);
  const second = aFolder('b');
  expect(drained(second)).toEqual([]);
  second.look(false);
  expect(drained(second)).toEqual(['1', '3']);
  expect(second.state.rows).toBe(0);
});

it('lets only its own user read what clients sent, also in a folder that was there', () => {
  for (const name of ['spool', 'refused']) {
    mkdirSync(join(root, name));
    chmodSync(join(root, name), 0o755);
  }
  const folder = aFolder('a');
  folder.append(some('1'));
  folder.refuse(folder.take(undefined, limits).messages, 'MESSAGE_TOO_LARGE');
  const modeOf = (...path: string[]): number => statSync(join(root, ...path)).mode & 0o777;
  expect(['spool', 'refused'].map((name) => modeOf(name))).toEqual([0o700, 0o700]);
  const inside = ['spool', 'refused'].flatMap((name) => readdirSync(join(root, name)).map((one) => modeOf(name, one)));
  expect(inside).toHaveLength(4);
  expect(new Set(inside)).toEqual(new Set([0o600]));
});
