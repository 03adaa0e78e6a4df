import { OperationError } from '@sluice/operations';
import { expect, it } from 'vitest';
import { splitLines, decodeUtf8 } from './utf8.js';

async function* each<T>(...items: T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

async function all(texts: AsyncIterable<string>): Promise<string[]> {
  const list: string[] = [];
  for await (const text of texts) list.push(text);
  return list;
}

it('keeps characters and line ends that are divided between chunks', async () => {
  const bytes = Buffer.from('\ufeffشیراز\r\n🌹\u2028\n\r\nz');
  const chunks = each(...Array.from(bytes, (byte) => Uint8Array.of(byte)));
  expect(await all(splitLines(decodeUtf8(chunks, 'f')))).toEqual(['شیراز', '🌹\u2028', '', 'z']);
});

it.each([
  ['Latin-1', [0x61, 0xe9, 0x62]],
  ['UTF-16', [0xff, 0xfe, 0x61, 0x00]],
  ['a character cut off at the end', [0x61, 0xf0, 0x9f]],
])('refuses %s', async (_, bytes) => {
  const texts = all(decodeUtf8(each(Uint8Array.from(bytes)), 'a.csv'));
  await expect(texts).rejects.toThrow(OperationError);
  await expect(texts).rejects.toThrow('a.csv is not UTF-8');
});
