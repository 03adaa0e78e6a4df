import { closeSync, existsSync, fdatasyncSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeAll, writeSynced } from './write-synced.js';

/** Progress of a queue, as places in it. */
export interface Position {
  /** Messages up to here are in Kafka or in the refused file. */
  readonly forgotten: number;
  /** Messages up to here may be in Kafka already; saved before messages are sent. */
  readonly tried: number;
  /** Messages up to here were written; later ones may exist. */
  readonly lastWritten: number;
}

/** Offsets of two slots, written in turn and a page apart: a failed write leaves the previous position. */
const slotOffsets = [0, 4_096];
const fileBytes = 8_192;
const magic = Buffer.from('sluicepos');
const crcAt = magic.length + 4 * 8;
const slotBytes = crcAt + 4;

interface Slot extends Position {
  readonly generation: number;
}

/** The position of a queue in a file that is overwritten in place, so that it needs no room on a full disk. */
export class QueueCursor {
  private constructor(
    private readonly file: number,
    private generation: number,
    /** Undefined when neither slot can be read. */
    readonly position: Position | undefined,
    /** False when a slot is damaged or the file was missing: the position may be an older one, or undefined. */
    readonly isCertain: boolean,
  ) {}

  /** @param isNew whether nothing was written to the queue yet; a missing cursor is damage otherwise. */
  static open(path: string, isNew: boolean): QueueCursor {
    const wasMade = makeOnce(path);
    const file = openSync(path, 'r+');
    if (wasMade && !isNew) return new QueueCursor(file, 1, undefined, false);
    try {
      const slots = slotOffsets.map((offset) => readSlot(file, offset));
      const [newest] = slots.filter((slot) => slot !== undefined).sort((a, b) => b.generation - a.generation);
      const generations = slots.map((slot) => slot?.generation ?? Number.NaN);
      const isCertain = Math.abs(generations.reduce((a, b) => a - b)) === 1;
      return new QueueCursor(file, newest?.generation ?? 1, newest, isCertain);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** The position is on the disk when this returns. */
  save(position: Position): void {
    const generation = this.generation + 1;
    writeAll(this.file, encodeSlot({ ...position, generation }), slotOffsets[generation % 2] ?? 0);
    fdatasyncSync(this.file);
    this.generation = generation;
  }

  close(): void {
    closeSync(this.file);
  }
}

/** Creates the file if it is missing. Returns whether it did. */
function makeOnce(path: string): boolean {
  if (existsSync(path)) return false;
  const content = Buffer.alloc(fileBytes);
  for (const [generation, offset] of slotOffsets.entries()) {
    encodeSlot({ generation, forgotten: 0, tried: 0, lastWritten: 0 }).copy(content, offset);
  }
  writeSynced(path, content, 'w');
  return true;
}

function encodeSlot({ generation, forgotten, tried, lastWritten }: Slot): Buffer {
  const bytes = Buffer.alloc(slotBytes);
  magic.copy(bytes);
  for (const [index, number] of [generation, forgotten, tried, lastWritten].entries()) {
    bytes.writeDoubleLE(number, magic.length + index * 8);
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(0, crcAt)), crcAt);
  return bytes;
}

function readSlot(file: number, offset: number): Slot | undefined {
  const bytes = Buffer.alloc(slotBytes);
  readSync(file, bytes, 0, slotBytes, offset);
  if (bytes.readUInt32LE(crcAt) !== crc32(bytes.subarray(0, crcAt)) || !bytes.subarray(0, magic.length).equals(magic)) {
    return undefined;
  }
  const [generation, forgotten, tried, lastWritten] = [0, 1, 2, 3].map((index) =>
    bytes.readDoubleLE(magic.length + index * 8),
  ) as [number, number, number, number];
  return { generation, forgotten, tried, lastWritten };
}
