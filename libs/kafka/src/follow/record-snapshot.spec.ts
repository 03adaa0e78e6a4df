import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RecordSnapshot } from './record-snapshot.js';

const records = [
  { key: 'AbCdEf123456:01', value: Buffer.from('{"keyId":"01"}') },
  { key: 'AbCdEf123456', value: Buffer.from('{"name":"Shöp\\n2","type":"web-sdk"}') },
];

let folder: string;
let snapshot: RecordSnapshot;
const path = () => join(folder, 'sources.snapshot');
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'sluice-snapshot-')), 'gateway');
  snapshot = new RecordSnapshot(folder, 'sources');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

it('has no records before the first write', async () => {
  expect(await snapshot.read()).toBeUndefined();
});

it('removes drafts of dead processes, but not a draft that is being written', async () => {
  await snapshot.write(records);
  const [stale, fresh] = ['a', 'b'].map((name) => `${path()}.${name}.tmp`) as [string, string];
  for (const draft of [stale, fresh]) writeFileSync(draft, 'a draft');
  utimesSync(stale, Date.now() / 1_000 - 3_600, Date.now() / 1_000 - 3_600);
  await snapshot.write(records);
  expect(readdirSync(folder).sort()).toEqual(['sources.snapshot', 'sources.snapshot.b.tmp']);
});

it('reads the records written last, and leaves one file that only its owner can read', async () => {
  await snapshot.write([]);
  await snapshot.write(records);

  expect(await new RecordSnapshot(folder, 'sources').read()).toEqual(records);
  expect(readdirSync(folder)).toEqual(['sources.snapshot']);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
});

it('is whole after many concurrent writes', async () => {
  const lists = [records, records.slice(0, 1), records.slice(1), []];
  await Promise.all(lists.map((list) => new RecordSnapshot(folder, 'sources').write(list)));

  expect(lists).toContainEqual(await snapshot.read());
  expect(readdirSync(folder)).toEqual(['sources.snapshot']);
});

it('refuses a truncated file', async () => {
  await snapshot.write(records);
  const whole = readFileSync(path());
  // The last byte is a line feed, which is not needed.
  for (let length = 0; length < whole.length - 1; length += 13) {
    writeFileSync(path(), whole.subarray(0, length));
    await expect(snapshot.read(), `${length} bytes`).rejects.toThrow();
  }
});

it.each([
  ['a changed byte', (text: string) => text.replace('web-sdk', 'ios-sdk')],
  ['another version', (text: string) => text.replace('"version":1', '"version":2')],
  ['the snapshot of another topic', (text: string) => text.replace('sluice-sources', 'sluice-plans')],
  ['a file of another program', () => '{"some":"thing"}\n[]\n'],
])('refuses %s', async (_, change) => {
  await snapshot.write(records);
  writeFileSync(path(), change(readFileSync(path(), 'utf8')));
  await expect(snapshot.read()).rejects.toThrow();
});
