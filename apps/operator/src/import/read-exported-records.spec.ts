import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromSegment } from './formats/segment.js';
import { type ExportedRecord, readExportedRecords } from './read-exported-records.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-import-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(content: string | Buffer): Promise<ExportedRecord[]> {
  const file = join(folder, 'export.json');
  await writeFile(file, content);
  const records: ExportedRecord[] = [];
  for await (const record of readExportedRecords(file, fromSegment)) records.push(record);
  return records;
}

const lines = '{"type":"track","messageId":"a"}\n\nno json\n7\n{"type":"track"}\n';

it.each([
  ['plain', (text: string) => text],
  ['gzipped, whatever its name', (text: string) => gzipSync(text)],
])('reads a file that is %s', async (_, encode) => {
  const records = await read(encode(lines));
  expect(records.map(({ line }) => line)).toEqual([1, 3, 4, 5]);
  expect(records.map(({ problems }) => problems.map(({ message }) => message))).toEqual([
    [],
    ['is not JSON'],
    ['must be an object'],
    [],
  ]);
  expect(records[0]?.items).toEqual([{ type: 'track', messageId: 'a' }]);
});

it('gives a record without an id the same id each time', async () => {
  const [first] = await read('{"type":"track","event":"e"}');
  const [second] = await read('\n{"type":"track","event":"e"}');
  expect(first?.items[0]?.['messageId']).toMatch(/^[0-9a-f-]{36}$/);
  expect(second?.items[0]?.['messageId']).toBe(first?.items[0]?.['messageId']);
});

it.each([
  ['[{"type":"track"}]', /is a JSON array: write one record a line/],
  [Buffer.from([0x7b, 0xff, 0x7d]), /is not UTF-8/],
  [gzipSync(lines.repeat(100)).subarray(0, 60), /cannot be read: unexpected end of file/],
])('says what is wrong with the file: %#', (content, message) => expect(read(content)).rejects.toThrow(message));

it('fails at a file that is not there', () =>
  expect(readExportedRecords(join(folder, 'none'), fromSegment).next()).rejects.toThrow(/cannot be read: ENOENT/));
