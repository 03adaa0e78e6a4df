import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readRecords } from './read-records.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'form-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function readTexts(name: string, content?: string | Buffer): Promise<string[]> {
  const file = join(folder, name);
  if (content !== undefined) await writeFile(file, content);
  const texts: string[] = [];
  for await (const { json } of readRecords(file, 'product')) texts.push(json);
  return texts;
}

it.each([
  ['products.json', ' [\n{"productId":"p0"},\n{"productId":"p1"}\n]\n', 'is a JSON array: write one object per line'],
  ['products.xml', '\xef\xbb\xbf<?xml version="1.0"?>\n<products/>\n', 'is XML or HTML'],
  ['products.xlsx', 'PK\x03\x04\x14', 'is a zip archive or an Excel workbook'],
  ['products.csv', '\xff\xfep\0', 'is UTF-16: convert it to UTF-8'],
  ['products.zst', '\x28\xb5\x2f\xfd\0', 'only gzip is read'],
  ['products.json.gz', gzipSync('[\n{"productId":"p0"}\n]\n'), 'is a JSON array'],
])('reads no record of %s, and says what to do', async (name, content, advice) => {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  await expect(readTexts(name, bytes)).rejects.toThrow(advice);
});

it('says that a folder is none of its files', async () => {
  await mkdir(join(folder, 'products'));
  await expect(readTexts('products')).rejects.toThrow('products is a folder: name a file in it');
});

it('a text of a CSV may begin like an array', async () =>
  expect(await readTexts('products.csv', '"productId"\n[p0]\n')).toEqual(['{"productId":"[p0]"}']));

it.each([
  ['products.ndjson', '{"productId":"p0","name":"a"}\n{"productId":"p1","name":"b"}\n'],
  ['products.csv', 'productId;name\np0;a\np1;b\n'],
])('reads a compressed %s as if it were not', async (name, content) => {
  const records = ['{"productId":"p0","name":"a"}', '{"productId":"p1","name":"b"}'];
  expect(await readTexts(name, content)).toEqual(records);
  expect(await readTexts(`${name}.gz`, gzipSync(content))).toEqual(records);
});

it('an empty file has no records, compressed or not', async () => {
  for (const name of ['products.ndjson', 'products.csv']) {
    expect(await readTexts(name, '')).toEqual([]);
    expect(await readTexts(`${name}.gz`, gzipSync(''))).toEqual([]);
  }
});

it.each(['products.ndjson.gz', 'products.csv.gz'])('%s that was cut off fails', async (name) => {
  const whole = gzipSync(`productId\n${Array.from({ length: 5_000 }, (_, i) => `p${i * 7919}\n`).join('')}`);
  await expect(readTexts(name, whole.subarray(0, -20))).rejects.toThrow(/cannot be read: unexpected end of file/);
});
