import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SpoolFolder } from './spool-folder.js';

// Tests SQLite files as older versions wrote them.

const limits = { messages: 3, bytes: 1_000_000 };
let root: string;
let folder: SpoolFolder;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-legacy-'));
  mkdirSync(join(root, 'spool'));
  const options = { folder: join(root, 'spool'), refusedFolder: join(root, 'refused'), newName: 'new' };
  folder = new SpoolFolder({ ...options, maxBytes: 2 ** 26 });
});
afterEach(() => {
  folder.close();
  rmSync(root, { recursive: true });
});

/** @param keyType TEXT in files of the oldest versions */
function aLegacyFile(name: string, values: readonly string[], keyType: 'BLOB' | 'TEXT' = 'BLOB'): DatabaseSync {
  const db = new DatabaseSync(join(root, 'spool', `${name}.spool.db`));
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE messages (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, topic TEXT NOT NULL,
      key ${keyType} NOT NULL, value ANY NOT NULL, headers TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
    CREATE TABLE intent (id INTEGER PRIMARY KEY CHECK (id = 1), tried INTEGER NOT NULL) STRICT;
    INSERT INTO intent VALUES (1, 2);`);
  const insert = db.prepare(
    `INSERT INTO messages (at, topic, key, value, headers, crc) VALUES (1, 't', ?, ?, '{}', ?)`,
  );
  for (const value of values) {
    const key = keyType === 'BLOB' ? Buffer.from('k\u0000') : 'k\u0000';
    insert.run(key, value, crc32(value, crc32('1\nt\nk\u0000\n{}\n')));
  }
  return db;
}

function drained(): { key: string; value: string; wasTried: boolean }[] {
  const messages = [];
  for (let batch = folder.take(undefined, limits); batch.place; batch = folder.take(batch.place, limits)) {
    messages.push(...batch.messages.map(({ key, value, wasTried }) => ({ key, value: String(value), wasTried })));
  }
  return messages;
}

it.each(['BLOB', 'TEXT'] as const)('is emptied before new messages, with keys as %s, then removed', (keyType) => {
  aLegacyFile('a', ['1', '2', '3', '4'], keyType).close();
  folder.append([{ topic: 't', key: 'k', value: 'new', headers: '{}' }]);
  folder.look(false);
  expect(folder.state).toMatchObject({ rows: 5, oldestAt: 1 });
  expect(drained()).toEqual([
    ...['1', '2'].map((value) => ({ key: 'k\u0000', value, wasTried: true })),
    ...['3', '4'].map((value) => ({ key: 'k\u0000', value, wasTried: false })),
    { key: 'k', value: 'new', wasTried: false },
  ]);
  expect(folder.state).toMatchObject({ rows: 0, damaged: 0 });
  expect(readdirSync(join(root, 'spool')).sort()).toEqual(['ballast', 'new.spool']);
});

it('is left alone while its process is alive', () => {
  const db = aLegacyFile('a', ['1']);
  db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  db.exec('UPDATE intent SET tried = 0');
  folder.look(false);
  expect(folder.state).toMatchObject({ rows: 0, unopened: [] });
  db.close();
  folder.look(false);
  expect(drained()).toHaveLength(1);
});

it('has its damaged rows counted and its other rows delivered', () => {
  const db = aLegacyFile('a', ['good', 'bad', 'fine']);
  db.exec(`UPDATE messages SET value = 'gad' WHERE value = 'bad'`);
  db.close();
  folder.look(false);
  expect(drained().map(({ value }) => value)).toEqual(['good', 'fine']);
  expect(folder.state.damaged).toBe(1);
});

it('can be emptied although rows were removed by hand or its tables are missing', () => {
  const db = aLegacyFile('a', ['1', '2', '3']);
  db.exec(`DELETE FROM messages WHERE value = '2'`);
  db.close();
  new DatabaseSync(join(root, 'spool', 'b.spool.db')).exec('PRAGMA user_version = 1');
  folder.look(false);
  expect(drained().map(({ value }) => value)).toEqual(['1', '3']);
  expect(folder.state).toMatchObject({ rows: 0, damaged: 0 });
});

it('is set aside when SQLite cannot read it', () => {
  writeFileSync(join(root, 'spool', 'a.spool.db'), Buffer.alloc(100_000, 'no database'));
  folder.look(false);
  expect(drained()).toEqual([]);
  expect(folder.state.damaged).toBe(1);
  expect(readdirSync(join(root, 'refused'))).toEqual([expect.stringMatching(/-a\.spool\.db$/)]);
});
