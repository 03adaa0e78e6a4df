import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Device, type StoredBatch } from '@sluice/sdk-contract';
import { type Clock, type KeyValueStore, type QueueStore } from '@sluice/sdk-core';
import { readBatchFile } from './batch-file.js';
import { buildBatch, DirectoryQueue } from './directory-queue.js';
import { type Disk, realDisk } from './disk.js';
import { createValues } from './values.js';

const noClock: Clock = { now: () => 0, monotonic: () => 0, later: () => () => undefined };

/** The directory under the clients of a vector. Every client takes all others for dead. */
export class DirectoryDevice implements Device {
  isFull = false;
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-node-'));
  readonly damages: [string, number][] = [];
  private owners = 0;
  /** Refuses writes while it is full, except records of tries. */
  private readonly disk: Disk = {
    write: (fd, bytes, kind) => {
      if (this.isFull && kind !== 'T') throw new Error('no room');
      return realDisk.write(fd, bytes, kind);
    },
    sync: () => Promise.resolve(),
    syncFolder: () => Promise.resolve(),
  };

  queue(source = 'Source000001'): QueueStore {
    return new DirectoryQueue({
      root: join(this.folder, 'batches'),
      owner: `client-${++this.owners}`,
      source,
      disk: this.disk,
      clock: noClock,
      checkOwner: () => 'dead',
      reporting: {
        damaged: join(this.folder, 'damaged'),
        report: (message, lost) => this.damages.push([message, lost]),
      },
    });
  }

  values(): KeyValueStore {
    const values = createValues(this.valuesFolder, `client-${this.owners}`);
    return {
      ...values,
      set: (name, value) => {
        if (this.isFull) throw new Error('no room');
        values.set(name, value);
      },
    };
  }

  value(name: string): string | null {
    return createValues(this.valuesFolder, 'reader').get(name);
  }

  batches(): StoredBatch[] {
    const root = join(this.folder, 'batches');
    const files = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : [];
    return files
      .filter((file) => file.endsWith('.batch'))
      .flatMap((file) => {
        const content = readBatchFile(readFileSync(join(root, file)));
        return content.is === 'batch'
          ? { batch: buildBatch(content), texts: [...content.messages, ...content.later] }
          : [];
      })
      .sort((one, other) => one.batch.created - other.batch.created);
  }

  loseQueue(): void {
    rmSync(join(this.folder, 'batches'), { recursive: true, force: true });
  }

  loseValues(): void {
    rmSync(this.valuesFolder, { recursive: true, force: true });
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await setImmediate();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get valuesFolder(): string {
    return join(this.folder, 'values');
  }
}
