import fs, {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeFrames, segmentSecret } from './frame.js';
import { MessageQueue } from './message-queue.js';
import { type SpooledMessage } from './spooled-message.js';

const all = { messages: 100_000, bytes: 1e9 };
/** Limit of the queue, which makes segments of 16 KiB. */
const maxBytes = 8 * 16 * 1024;
const pageBytes = 4_096;
const timeout = 120_000;
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-queue-'));
});
afterEach(() => rmSync(root, { recursive: true }));

interface Image {
  readonly path: string;
  /** Waiting values, in order. */
  readonly waiting: readonly string[];
  readonly segments: readonly string[];
}

const textOf = (index: number): string => `<${index}>`.padEnd((index * 37) % 900, 'x');

/** A queue as `kill -9` leaves it: some messages were forgotten, some were taken, and the rest were only written. */
function anImage(count = 120): Image {
  const [live, path] = [join(root, 'live.spool'), join(root, 'image.spool')];
  const queue = MessageQueue.make(live, maxBytes);
  const texts = Array.from({ length: count }, (_, index) => textOf(index));
  for (let first = 0; first < count; first += 4) {
    queue.append(
      texts
        .slice(first, first + 4)
        .map((value, index) => ({ topic: 't', key: `${first + index}`, value, headers: '{}' })),
      1,
    );
  }
  const { lastSeq } = queue.take(0, { messages: 10, bytes: 1e6 });
  queue.take(lastSeq, { messages: 10, bytes: 1e6 });
  cpSync(live, path, { recursive: true });
  queue.take(count, all);
  queue.close();
  return { path, waiting: texts.slice(lastSeq), segments: readdirSync(path).filter((name) => name.endsWith('.log')) };
}

/** Opens a copy of the image after `damage`, and returns its messages and damage. */
function openFaulty({ path }: Image, damage: (path: string) => void): Opened {
  const damaged = join(root, 'damaged.spool');
  rmSync(damaged, { recursive: true, force: true });
  cpSync(path, damaged, { recursive: true });
  damage(damaged);
  const queue = MessageQueue.open(damaged, maxBytes);
  const { messages, damages } = queue.take(0, all);
  const { rows } = queue;
  queue.close();
  const lost = damages.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return { messages, texts: messages.map(({ value }) => String(value)), lost, rows };
}
interface Opened {
  readonly messages: readonly SpooledMessage[];
  readonly texts: readonly string[];
  readonly lost: number;
  readonly rows: number;
}

const flipped = (bytes: Buffer, bit: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return changed;
};

it('keeps the partition that a message was meant for', () => {
  const path = join(root, 'partitions.spool');
  const queue = MessageQueue.make(path, maxBytes);
  const partitions = [undefined, 0, 1, 63, 127, 128, 9_999, 32_766];
  const text = (partition?: number) => ({ topic: 't', key: 'k', value: 'text', headers: '{}', partition });
  const bytes = (partition?: number) => ({ ...text(partition), value: new Uint8Array([1, 2]) });
  queue.append([...partitions.map(text), ...partitions.map(bytes), text(32_767)], 1);
  queue.close();
  const { messages } = MessageQueue.open(path, maxBytes).take(0, all);
  expect(messages.map(({ partition }) => partition)).toEqual([...partitions, ...partitions, undefined]);
  expect(messages.map(({ value }) => String(value))).toEqual([
    ...partitions.map(() => 'text'),
    ...partitions.map(() => '1,2'),
    'text',
  ]);
});

it('loses at most one message, and counts it, when any one bit is flipped', { timeout }, () => {
  const image = anImage();
  let flips = 0;
  let losses = 0;
  let phase = 0;
  for (const name of [...image.segments, 'cursor']) {
    const bytes = readFileSync(join(image.path, name));
    for (; phase < bytes.length * 8; phase += 997) {
      const opened = openFaulty(image, (path) => writeFileSync(join(path, name), flipped(bytes, phase)));
      expect(opened.lost).toBeLessThanOrEqual(name === 'cursor' ? 0 : 1);
      const missing = image.waiting.filter((text) => !opened.texts.includes(text));
      expect(missing).toHaveLength(opened.lost);
      expect(opened.texts.filter((text) => image.waiting.includes(text))).toEqual(
        image.waiting.filter((text) => !missing.includes(text)),
      );
      flips += 1;
      losses += opened.lost;
    }
    phase -= bytes.length * 8;
  }
  expect(flips).toBeGreaterThan(400);
  expect(losses).toBeGreaterThan(300);
});

it('returns all messages again, marked as tried, when its cursor is damaged or missing', () => {
  const image = anImage();
  for (const damage of [
    () => undefined,
    () => Buffer.alloc(8_192),
    () => Buffer.alloc(0),
    (bytes: Buffer) => flipped(bytes, 100),
    (bytes: Buffer) => flipped(bytes, 8 * 4_096 + 100),
  ]) {
    const { texts, messages, lost } = openFaulty(image, (path) => {
      const cursor = join(path, 'cursor');
      const changed = damage(readFileSync(cursor));
      if (changed) writeFileSync(cursor, changed);
      else rmSync(cursor);
    });
    expect(lost).toBe(0);
    expect(texts.slice(-image.waiting.length)).toEqual(image.waiting);
    expect(messages.filter(({ wasTried }) => !wasTried)).toEqual([]);
  }
});

it('has all messages before the cut when its last segment is cut anywhere', { timeout }, () => {
  const image = anImage();
  const name = image.segments.at(-1) ?? '';
  const bytes = readFileSync(join(image.path, name));
  // Number of messages in the segments before the last one.
  const early = openFaulty(image, (path) => rmSync(join(path, name))).texts.length;
  for (let length = 0; length <= bytes.length; length += 61) {
    const { texts, lost } = openFaulty(image, (path) => {
      truncateSync(join(path, name), length);
      rmSync(join(path, 'cursor'));
    });
    // A frame ends with its text, so a whole text means a whole frame.
    const whole = image.waiting.filter((text, index) => {
      return index < early || bytes.indexOf(text, 0, 'latin1') + text.length <= length;
    });
    expect(texts.filter((text) => image.waiting.includes(text))).toEqual(whole);
    expect(lost).toBe(0);
  }
});

/** Expects every message outside the damaged bytes to be present, and every missing one to be counted. */
function expectOnlyThese(
  image: Image,
  { texts, lost }: Opened,
  damaged: { name: string; from: number; to: number }[],
): void {
  const contents = new Map(image.segments.map((name) => [name, readFileSync(join(image.path, name), 'latin1')]));
  const headerBytes = 36 + 12 + 't'.length + '{}'.length + '000'.length;
  const isDamaged = (text: string): boolean =>
    damaged.some(({ name, from, to }) => {
      const at = contents.get(name)?.indexOf(text) ?? -1;
      return at >= 0 && at + text.length > from && at - headerBytes < to;
    });
  const missing = image.waiting.filter((text) => !texts.includes(text));
  expect(missing.filter((text) => !isDamaged(text))).toEqual([]);
  expect(lost).toBe(missing.length);
  expect(texts.filter((text) => image.waiting.includes(text))).toEqual(
    image.waiting.filter((text) => !missing.includes(text)),
  );
  expect(new Set(texts).size).toBe(texts.length);
}

it('loses only the messages of a page that becomes zeros or a copy of another page of any segment', { timeout }, () => {
  const image = anImage();
  const pages = image.segments.flatMap((name) => {
    const { length } = readFileSync(join(image.path, name));
    return Array.from({ length: Math.ceil(length / pageBytes) }, (_, page) => ({ name, from: page * pageBytes }));
  });
  expect(pages.length).toBeGreaterThan(12);
  const contentOf = (path: string, name: string): Buffer => readFileSync(join(path, name));
  for (const { name, from } of pages) {
    const to = Math.min(from + pageBytes, contentOf(image.path, name).length);
    const put = (content: Buffer) => (path: string) => {
      const bytes = contentOf(path, name);
      content.copy(bytes, from, 0, to - from);
      writeFileSync(join(path, name), bytes);
    };
    expectOnlyThese(image, openFaulty(image, put(Buffer.alloc(pageBytes))), [{ name, from, to }]);
    for (const other of pages.filter((_, index) => index % 3 === 0)) {
      const content = contentOf(image.path, other.name).subarray(other.from, other.from + pageBytes);
      expectOnlyThese(image, openFaulty(image, put(content)), [{ name, from, to }]);
    }
  }
});

it('counts the messages of a segment that is missing or replaced by a copy of another', () => {
  const image = anImage();
  for (const name of image.segments) {
    const whole = { name, from: 0, to: Infinity };
    expectOnlyThese(
      image,
      openFaulty(image, (path) => rmSync(join(path, name))),
      [whole],
    );
    for (const other of image.segments) {
      const opened = openFaulty(image, (path) => copyFileSync(join(image.path, other), join(path, name)));
      expectOnlyThese(image, opened, other === name ? [] : [whole]);
    }
  }
});

it('keeps its order when segments are swapped', () => {
  const image = anImage();
  for (const [index, a] of image.segments.entries()) {
    for (const b of image.segments.slice(index + 1)) {
      const opened = openFaulty(image, (path) => {
        renameSync(join(path, a), join(path, 'aside'));
        renameSync(join(path, b), join(path, a));
        renameSync(join(path, 'aside'), join(path, b));
      });
      expectOnlyThese(image, opened, []);
    }
  }
});

it('never reads bytes that a client sent as a message, wherever the disk is damaged', { timeout }, () => {
  const path = join(root, 'a.spool');
  const queue = MessageQueue.make(path, maxBytes);
  const aMessage = (value: string | Uint8Array) => ({ topic: 't', key: 'k', value, headers: '{}' });
  // Frames that are correct for this place except for the salt, which no client knows.
  const forged = encodeFrames([aMessage('forged'), aMessage('forged')], {
    seq: 1,
    acceptedAt: 1,
    offset: 36 + 12 + 't'.length + 'k'.length + '{}'.length,
    secret: segmentSecret('0'.repeat(32), 1),
  });
  queue.append([aMessage('one'), aMessage(forged), aMessage('two')], 1);
  const [name = ''] = readdirSync(path).filter((one) => one.endsWith('.log'));
  const bytes = readFileSync(join(path, name));
  // This forged frame has the marker of the queue, but neither checksum matches.
  bytes.copy(forged, 0, 0, 8);
  queue.append([aMessage(forged), aMessage('three')], 1);
  cpSync(path, join(root, 'image.spool'), { recursive: true });
  queue.close();
  const image = { path: join(root, 'image.spool'), waiting: [], segments: [name] };
  const content = readFileSync(join(image.path, name));
  for (let bit = 0; bit < content.length * 8; bit += 13) {
    const { texts, lost } = openFaulty(image, (damaged) => writeFileSync(join(damaged, name), flipped(content, bit)));
    expect(lost).toBe(1);
    expect(texts).not.toContain('forged');
    expect(texts.length).toBe(4);
  }
});

it('continues in a new segment after a restart, behind the messages that were left', () => {
  const image = anImage();
  const queue = MessageQueue.open(image.path, maxBytes);
  queue.append([{ topic: 't', key: 'k', value: 'new', headers: '{}' }], 2);
  const { messages, lastSeq } = queue.take(0, all);
  expect(messages.map(({ value }) => value)).toEqual([...image.waiting, 'new']);
  queue.take(lastSeq, all);
  expect(queue).toMatchObject({ rows: 0, usedBytes: 0, oldestAt: undefined });
  queue.close();
  expect(readdirSync(root)).toEqual([]);
});

it('continues behind an end that is cut off or damaged, more than once', () => {
  const image = anImage(20);
  const name = image.segments.at(-1) ?? '';
  const bytes = readFileSync(join(image.path, name));
  for (const [index, [damage, lost]] of [
    [bytes.subarray(0, -3), 0],
    [flipped(bytes, bytes.length * 8 - 10), 1],
    [Buffer.concat([bytes.subarray(0, -30), Buffer.alloc(30)]), 1],
  ].entries() as Iterable<[number, [Buffer, number]]>) {
    const path = join(root, `${index}.spool`);
    cpSync(image.path, path, { recursive: true });
    writeFileSync(join(path, name), damage);
    rmSync(join(path, 'cursor'));
    for (const value of ['first', 'second']) {
      const queue = MessageQueue.open(path, maxBytes);
      queue.append([{ topic: 't', key: 'k', value, headers: '{}' }], 2);
      queue.close();
    }
    const queue = MessageQueue.open(path, maxBytes);
    const { messages, damages } = queue.take(0, all);
    expect(messages.slice(-3).map(({ value }) => value)).toEqual([textOf(18), 'first', 'second']);
    expect(damages).toHaveLength(lost);
    queue.close();
  }
});

it('skips a sector that the disk repeatedly cannot read', () => {
  const image = anImage();
  const name = image.segments[2] ?? '';
  const queue = MessageQueue.open(image.path, maxBytes);
  const { readSync } = fs;
  const badAt = 5_000;
  const isOfSegment = (file: number): boolean => fs.readlinkSync(`/proc/self/fd/${file}`).endsWith(name);
  fs.readSync = ((file: number, bytes: Buffer, offset: number, length: number, position: number) => {
    const isBad = position <= badAt && badAt < position + length && isOfSegment(file);
    if (isBad) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    return readSync(file, bytes, offset, length, position);
  }) as typeof readSync;
  syncBuiltinESMExports();
  try {
    for (let tries = 1; tries < 10; tries++) expect(() => queue.take(0, all)).toThrow('EIO');
    const { messages, damages } = queue.take(0, all);
    const lost = damages.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    const texts = messages.map(({ value }) => String(value));
    expectOnlyThese(image, { messages, texts, lost, rows: 0 }, [{ name, from: 4_608, to: 5_120 }]);
    expect(lost).toBeGreaterThan(0);
  } finally {
    fs.readSync = readSync;
    syncBuiltinESMExports();
    queue.close();
  }
});
