import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseBatchFile } from './batch-file.js';
import { goldenFiles } from './golden-files.js';

const folder = new URL('../store/', import.meta.url);
const expected = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as Record<string, unknown>;

it.each(Object.keys(expected))('%s is read as expected and written byte for byte', (name) => {
  const bytes = readFileSync(new URL(name, folder));
  expect(parseBatchFile(bytes)).toEqual(expected[name]);
  expect(goldenFiles[name]?.equals(bytes)).toBe(true);
});

it('a file cut at any byte keeps a prefix of whole messages and reports no loss', () => {
  const whole = goldenFiles['open.batch'] ?? Buffer.alloc(0);
  const full = parseBatchFile(whole);
  if (full.is !== 'batch') throw new Error('the golden file is a batch');
  for (let end = 0; end <= whole.length; end++) {
    const cut = parseBatchFile(whole.subarray(0, end));
    const messages = cut.is === 'batch' ? cut.messages : [];
    expect(messages).toEqual(full.messages.slice(0, messages.length));
    expect(cut.lost).toBe(0);
  }
});

it('a flipped bit never changes a message', () => {
  const whole = goldenFiles['sealed.batch'] ?? Buffer.alloc(0);
  const full = parseBatchFile(whole);
  if (full.is !== 'batch') throw new Error('the golden file is a batch');
  for (let bit = 64; bit < whole.length * 8; bit++) {
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    const read = parseBatchFile(bytes);
    const messages = read.is === 'batch' ? read.messages : [];
    expect(messages).toEqual(full.messages.slice(0, messages.length));
  }
});
