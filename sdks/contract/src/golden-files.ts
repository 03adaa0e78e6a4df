import { batchFileStart, frame } from './batch-file.js';

const header = frame(
  'H',
  '{"key":"key-1","host":"https://sluice.test","sourceIdentifier":"Source000001","kind":"track","created":1769860800000}',
);
const [first, second, third] = ['a', 'ü😀', 'c'].map((event, seq) =>
  frame('M', `{"anonymousId":"a-1","event":"e${seq}","properties":{"t":"${event}"}}`),
);
const tries = (doubts: number): Buffer =>
  frame(
    'T',
    `{"tries":1,"doubts":${doubts},"tooLarge":0,"firstTry":1769860802000,"lastTry":1769860802000,"nextTry":1769860807500}`,
  );
const concat = (...parts: (Buffer | undefined)[]): Buffer =>
  Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0)));
const open = concat(batchFileStart(), header, first, second, third);

function flipBit(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 0x04, offset);
  return copy;
}

const positionInSecond = concat(batchFileStart(), header, first).length + 20;
const positionOfLength = concat(batchFileStart(), header, first).length + 2;

/** The golden files by name. */
export const goldenFiles: Readonly<Record<string, Buffer>> = {
  'open.batch': open,
  'sealed.batch': concat(open, frame('S', '{"count":3}')),
  'tried.batch': concat(open, frame('S', '{"count":3}'), tries(1), tries(0)),
  'in-doubt.batch': concat(open, frame('S', '{"count":3}'), tries(1)),
  'divided.batch': concat(open, frame('S', '{"count":3}'), tries(0), frame('D', '{"at":2}')),
  'two-seals.batch': concat(
    batchFileStart(),
    header,
    first,
    frame('S', '{"count":1}'),
    second,
    frame('S', '{"count":2}'),
  ),
  'later-message.batch': concat(batchFileStart(), header, first, second, frame('S', '{"count":2}'), third),
  'torn-in-payload.batch': open.subarray(0, open.length - 5),
  'torn-in-head.batch': open.subarray(0, open.length - (third?.length ?? 0) + 6),
  'torn-zeros.batch': concat(batchFileStart(), header, first, Buffer.alloc(4_096)),
  'torn-header.batch': open.subarray(0, 40),
  'torn-magic.batch': open.subarray(0, 5),
  'flipped-in-message.batch': flipBit(open, positionInSecond),
  'flipped-in-length.batch': flipBit(open, positionOfLength),
  'flipped-in-last.batch': flipBit(open, open.length - 3),
  'flipped-in-header.batch': flipBit(open, 30),
  'seal-counts-more.batch': concat(batchFileStart(), header, first, frame('S', '{"count":3}')),
  'unknown-frame.batch': concat(batchFileStart(), header, first, frame('X' as 'H', 'of a later minor version'), second),
  'newer-version.batch': concat(Buffer.from('SLUICEB\u0002'), header, first),
  'foreign.batch': Buffer.from('not a batch at all'),
};
