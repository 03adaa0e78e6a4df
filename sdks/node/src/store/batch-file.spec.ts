import { readdirSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { readBatchFile } from './batch-file.js';
import { fileHead, type FrameKind, encodeFrame, readFrames, slowCrc32 } from './frames.js';

const folder = new URL('../../../contract/store/', import.meta.url);
const golden = (name: string): Buffer => readFileSync(new URL(name, folder));
const names = readdirSync(folder).filter((name) => name.endsWith('.batch'));
const expected = JSON.parse(golden('expected.json').toString()) as Record<string, object>;

it('there are golden files', () => expect(names.sort()).toEqual(Object.keys(expected).sort()));

it.each(names)('%s is read as expected', (name) =>
  expect(readBatchFile(golden(name))).toMatchObject(expected[name] ?? { is: 'missing' }),
);

it.each(names.filter((name) => readFrames(golden(name), 8).frames.length > 0))(
  '%s: its valid frames are written byte for byte',
  (name) => {
    const bytes = golden(name);
    const { frames, end } = readFrames(bytes, 8);
    const written = frames.map(({ kind, text }) => encodeFrame(kind as FrameKind, text));
    expect(Buffer.concat([bytes.subarray(0, 8), ...written])).toEqual(bytes.subarray(0, end));
  },
);

it('a file cut at any byte keeps a prefix of whole messages and loses none', () => {
  const whole = golden('sealed.batch');
  const full = readBatchFile(whole);
  if (full.is !== 'batch') throw new Error('the golden file is a batch');
  for (let end = 0; end < whole.length; end++) {
    const cut = readBatchFile(whole.subarray(0, end));
    const messages = cut.is === 'batch' ? cut.messages : [];
    expect(messages).toEqual(full.messages.slice(0, messages.length));
    expect(cut).toMatchObject({ lost: 0 });
  }
});

const header = encodeFrame('H', '{"key":"k"}');
const m = (text: string): Buffer => encodeFrame('M', text);
const file = (...frames: Buffer[]) => readBatchFile(Buffer.concat([fileHead, header, ...frames]));

it('of two seals that clients wrote at the same time the first one counts', () => {
  const read = file(m('0'), m('1'), encodeFrame('S', '{"count":1}'), encodeFrame('S', '{"count":2}'));
  expect(read).toMatchObject({ messages: ['0'], later: ['1'], isSealed: true, lost: 0 });
});

it('doubts of several clients add up, whatever each of them knew', () => {
  const tries = (doubts: number, add: number): Buffer => encodeFrame('T', JSON.stringify({ tries: 1, doubts, add }));
  expect(file(m('0'), tries(1, 1), tries(1, 1), tries(0, -1))).toMatchObject({ doubts: 1 });
});

it('a batch is not divided after a try in doubt', () => {
  const [tried, divided] = [encodeFrame('T', '{"tries":1,"doubts":1,"add":1}'), encodeFrame('D', '{"at":1}')];
  const [seal, messages] = [encodeFrame('S', '{"count":2}'), [m('0'), m('1')]];
  expect(file(...messages, seal, tried, divided)).toMatchObject({ dividedAt: null });
  expect(file(...messages, seal, divided, tried)).toMatchObject({ dividedAt: 1 });
});

it('computes the checksum also where zlib does not', () => {
  const bytes = Buffer.from('SLUICE ü😀'.repeat(100));
  expect(slowCrc32(bytes.subarray(4), slowCrc32(bytes.subarray(0, 4), 0))).toBe(crc32(bytes));
});
