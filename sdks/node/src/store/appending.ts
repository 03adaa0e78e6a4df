import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync } from 'node:fs';
import { type Batch } from '@sluice/sdk-core';
import { type BatchFile, readBatchFile } from './batch-file.js';
import { type Disk } from './disk.js';
import { fileHead, type FrameKind, encodeFrame } from './frames.js';

/** @throws if not all bytes were written; the file is then as before, or keeps a torn frame */
export function append(disk: Disk, fd: number, size: number, bytes: Buffer, kind: FrameKind): void {
  let writtenBytes = 0;
  try {
    writtenBytes = disk.write(fd, bytes, kind);
    if (writtenBytes < bytes.length) throw new Error('no room');
  } catch (error) {
    // Others may have appended in the meantime; then the torn frame stays.
    if (writtenBytes > 0 && fstatSync(fd).size === size + writtenBytes) ftruncateSync(fd, size);
    throw error;
  }
}

export function readContent(fd: number): BatchFile {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(fd, bytes, length, bytes.length - length, length);
  }
  return readBatchFile(bytes.subarray(0, length));
}

export const encodeHeader = ({ key, host, sourceIdentifier, kind, created }: Batch): Buffer =>
  Buffer.concat([fileHead, encodeFrame('H', JSON.stringify({ key, host, sourceIdentifier, kind, created }))]);

/**
 * The file of an open batch that this client appends to. Another client that takes this one for dead may seal the file
 * at any time. The size of the file shows that after each write, and both clients use the count of the first seal.
 */
export class OpenFile {
  readonly texts: string[];
  private isBroken = false;

  private constructor(
    readonly path: string,
    readonly fd: number,
    private readonly disk: Disk,
    private knownSize: number,
    first: string,
  ) {
    this.texts = [first];
  }

  /** Creates the file with the first message. @throws EEXIST if the name is taken */
  static create(path: string, batch: Batch, text: string, disk: Disk): OpenFile {
    const bytes = Buffer.concat([encodeHeader(batch), encodeFrame('M', text)]);
    const fd = openSync(path, 'ax+');
    try {
      append(disk, fd, 0, bytes, 'M');
    } catch (error) {
      closeSync(fd);
      unlinkSync(path);
      throw error;
    }
    return new OpenFile(path, fd, disk, bytes.length, text);
  }

  get size(): number {
    return this.knownSize;
  }

  /** @returns as `append` of QueueStore */
  append(index: number, text: string): boolean | number {
    const bytes = encodeFrame('M', text);
    this.write(bytes, 'M');
    const { size, nlink } = fstatSync(this.fd);
    if (size === this.knownSize + bytes.length && nlink > 0) {
      this.knownSize = size;
      this.texts.push(text);
      return true;
    }
    const content = readContent(this.fd);
    if (content.is !== 'batch') return false;
    const count = content.messages.length;
    if (content.isSealed) return index < count || count;
    // The store was cleared, or damaged by something else.
    if (nlink === 0 || content.messages[index] !== text) return false;
    this.knownSize = size;
    this.texts.push(text);
    return true;
  }

  /** Seals the batch. Returns the count of its first seal; undefined if it is gone. */
  seal(): number | undefined {
    if (fstatSync(this.fd).nlink > 0) {
      const count = this.texts.length;
      const bytes = encodeFrame('S', JSON.stringify({ count }));
      this.write(bytes, 'S');
      const { size, nlink } = fstatSync(this.fd);
      if (size === this.knownSize + bytes.length && nlink > 0) {
        this.knownSize = size;
        return count;
      }
    }
    const content = readContent(this.fd);
    return content.is === 'batch' && content.isSealed ? content.messages.length : undefined;
  }

  private write(bytes: Buffer, kind: FrameKind): void {
    if (this.isBroken) throw new Error('the file is broken');
    try {
      append(this.disk, this.fd, this.knownSize, bytes, kind);
    } catch (error) {
      this.isBroken = fstatSync(this.fd).size !== this.knownSize;
      throw error;
    }
  }
}
