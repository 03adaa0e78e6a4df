import { utf8Bytes } from '@sluice/sdk-core';
import { expect, it } from 'vitest';

const maxPoints = 0x10ffff;
const isSurrogate = (point: number): boolean => point >= 0xd800 && point <= 0xdfff;

it('the size of every code point is that of its UTF-8 bytes', () => {
  const wrong: number[] = [];
  for (let point = 0; point <= maxPoints; point++) {
    const text = isSurrogate(point) ? '' : String.fromCodePoint(point);
    if (utf8Bytes(text) !== Buffer.byteLength(text)) wrong.push(point);
  }
  expect(wrong).toEqual([]);
  expect(utf8Bytes('Grüße 😀 سلام')).toBe(Buffer.byteLength('Grüße 😀 سلام'));
});
