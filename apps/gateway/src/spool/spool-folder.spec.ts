import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
  for (let batch = folder.take(false, limits); batch.length > 0; batch = folder.take(true, limits)) {
    values.push(...valuesOf(batch));
  }
  return values;
}

it('gives back what was written, in its order, in batches, bytes as bytes', () => {
  const folder = aFolder('a');
  folder.append(some('1', '2'));
  folder.append([...some('3'), { ...aMessage('4'), value: Buffer.from('4') }]);
  expect(folder.state.rows).toBe(4);

  expect(valuesOf(folder.take(false, limits))).toEqual(['1', '2', '3']);
  const [last] = folder.take(true, limits);
  expect(Buffer.from(last?.value as Uint8Array).toString()).toBe('4');
  expect(folder.take(true, limits)).toEqual([]);
  expect(folder.state).toMatchObject({ rows: 0, oldestAt: undefined });
});

it('gives the same again until it is delivered, then marked as tried', () => {
  const folder = aFolder('a');
  folder.append(some('1', '2'));
  expect(folder.take(false, limits).map(({ wasTried }) => wasTried)).toEqual([false, false]);
  folder.append(some('3'));
  expect(folder.take(false, limits).map(({ value, wasTried }) => [value, wasTried])).toEqual([
    ['1', true],
    ['2', true],
    ['3', false],
  ]);
});

it('continues the file of a process that ended, and knows what that process had tried', () => {
  const first = aFolder('a');
  first.append(some('1', '2', '3', '4'));
  first.take(false, limits);
  close(first);

  const second = aFolder('b');
  second.append(some('5'));
  expect(files()).toEqual(['a.spool.db']);
  expect(second.take(false, limits).map(({ wasTried }) => wasTried)).toEqual([true, true, true]);
  expect(second.take(true, limits).map(({ value, wasTried }) => [value, wasTried])).toEqual([
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
  expect(files()).toEqual([]);
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
  folder.refuse(folder.take(false, limits), 'MESSAGE_TOO_LARGE');
  expect(refusedLines()).toMatchObject([{ reason: 'refused by Kafka', error: 'MESSAGE_TOO_LARGE', value: '1' }]);
  expect(folder.state.refused).toBe(1);
  expect(existsSync(join(root, 'spool', 'ballast'))).toBe(true);
});

it('counts what lies in the refused folder, of other processes too, until somebody takes it away', () => {
  const first = aFolder('a');
  first.append(some('1', '2', 'a line of its own, whatever is in it: \n'));
  first.refuse(first.take(false, limits), 'MESSAGE_TOO_LARGE');
  writeFileSync(join(root, 'refused', 'at-some-time-b.spool.db'), 'set aside');

  const second = aFolder('c');
  second.look(false);
  expect(second.state).toMatchObject({ refused: 3, damaged: 1 });

  first.refuse(first.take(false, limits), 'MESSAGE_TOO_LARGE');
  second.look(false);
  expect(second.state.refused).toBe(6);

  rmSync(join(root, 'refused'), { recursive: true });
  second.look(false);
  expect(second.state).toMatchObject({ refused: 0, damaged: 0 });
});
