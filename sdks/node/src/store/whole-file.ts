import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { type Batch } from '@sluice/sdk-core';
import { append, headerOf } from './appending.js';
import { type FiledBatch } from './batch-file.js';
import { type Disk } from './disk.js';
import { frameOf } from './frames.js';

type Content = Pick<FiledBatch, 'messages' | 'isSealed'> & Partial<Pick<FiledBatch, 'later' | 'tries' | 'doubts'>>;

/** Writes a batch as a whole, so that no reader sees a part of it. Returns the size of the file. */
export function writeWhole(path: string, batch: Batch, content: Content, disk: Disk): number {
  const { messages, isSealed, later = [], tries, doubts = 0 } = content;
  const bytes = Buffer.concat([
    headerOf(batch),
    ...messages.map((text) => frameOf('M', text)),
    ...(isSealed ? [frameOf('S', JSON.stringify({ count: messages.length }))] : []),
    ...later.map((text) => frameOf('M', text)),
    ...(tries ? [frameOf('T', JSON.stringify({ ...tries, doubts, add: doubts }))] : []),
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
