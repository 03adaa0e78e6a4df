import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { type Batch } from '@sluice/sdk-core';
import { append, encodeHeader } from './appending.js';
import { type FiledBatch } from './batch-file.js';
import { type Disk } from './disk.js';
import { encodeFrame } from './frames.js';

type Content = Pick<FiledBatch, 'messages' | 'isSealed'> & Partial<Pick<FiledBatch, 'later' | 'tries' | 'doubts'>>;

/** Writes a batch as a whole, so that no reader sees a part of it. Returns the size of the file. */
export function writeWhole(path: string, batch: Batch, content: Content, disk: Disk): number {
  const { messages, isSealed, later = [], tries, doubts = 0 } = content;
  const bytes = Buffer.concat([
    encodeHeader(batch),
    ...messages.map((text) => encodeFrame('M', text)),
    ...(isSealed ? [encodeFrame('S', JSON.stringify({ count: messages.length }))] : []),
    ...later.map((text) => encodeFrame('M', text)),
    ...(tries ? [encodeFrame('T', JSON.stringify({ ...tries, doubts, add: doubts }))] : []),
  ]);
  const part = `${path}.part`;
  const fd = openSync(part, 'w+');
  try {
    append(disk, fd, 0, bytes, 'M');
    fsyncSync(fd);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(part, path);
  return bytes.length;
}
