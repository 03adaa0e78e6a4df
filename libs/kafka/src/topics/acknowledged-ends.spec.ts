import { expect, it } from 'vitest';
import { type LogOffsets, parseOffsets, recordOfOffsets } from './acknowledged-ends.js';

const offsets: LogOffsets = {
  topic: 'tracking.track.v1',
  id: '0123456789abcdef0123456789abcdef',
  writer: 'a-process',
  ends: new Map([
    [0, 12],
    [11, 9_007_199_254_740_991],
  ]),
};

it('reads what it writes, with and without a group', () => {
  expect(parseOffsets(recordOfOffsets(offsets).value)).toEqual(offsets);
  const ofGroup = { ...offsets, group: 'tracking' };
  expect(parseOffsets(recordOfOffsets(ofGroup).value)).toEqual(ofGroup);
});

it('gives each process, log and group a record of its own', () => {
  const ofGroup = { ...offsets, group: 'tracking' };
  const others = [offsets, ofGroup, { ...offsets, id: 'other' }, { ...offsets, writer: 'other' }];
  expect(new Set(others.map((one) => recordOfOffsets(one).key)).size).toBe(others.length);
});

it.each(['null', '{}', '{"topic":"a","id":"b","writer":"c"}', '{"topic":"a","id":"b","writer":"c","ends":{"0":-1}}'])(
  'refuses %s',
  (text) => expect(() => parseOffsets(Buffer.from(text))).toThrow(TypeError),
);
