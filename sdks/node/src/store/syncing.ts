import { closeSync } from 'node:fs';
import { type Clock } from '@sluice/sdk-core';
import { type Disk } from './disk.js';

/** Messages older than this outlive a loss of power. */
const latestMs = 1_000;

interface Appended {
  /** True if the file gets nothing more. */
  isClosed: boolean;
  /** True if the file was removed. */
  isGone: boolean;
}

/** Makes files permanent: a batch before it is sent, and every message within a second. */
export class Syncing {
  private readonly files = new Map<number, Appended>();
  private readonly running = new Set<Promise<unknown>>();
  private cancelTimer: (() => void) | undefined;
  private hasNewNames = false;
  private namesSync: Promise<void> | undefined;

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    private readonly folder: string,
  ) {}

  created(fd: number): void {
    this.hasNewNames = true;
    this.files.set(fd, { isClosed: false, isGone: false });
    this.appended();
  }

  appended(): void {
    this.cancelTimer ??= this.clock.later(latestMs, () => {
      this.cancelTimer = undefined;
      void this.syncAll();
    });
  }

  /** The file gets nothing more. It is closed as soon as it is permanent, or at once if it was removed. */
  closed(fd: number, isGone = false): void {
    const file = this.files.get(fd);
    if (file) Object.assign(file, { isClosed: true, isGone });
    this.appended();
  }

  /** Resolves when the file and its name are permanent. */
  async sync(fd: number): Promise<void> {
    const done = Promise.all([this.disk.sync(fd), this.syncNames()]);
    this.running.add(done);
    await done.finally(() => this.running.delete(done));
  }

  /** Makes everything permanent, and closes the files. */
  async end(): Promise<void> {
    this.cancelTimer?.();
    for (const file of this.files.values()) file.isClosed = true;
    await this.syncAll();
    await Promise.allSettled(this.running);
  }

  private async syncAll(): Promise<void> {
    await Promise.all(
      [...this.files].map(async ([fd, file]) => {
        if (!file.isGone) await this.sync(fd).catch(() => undefined);
        // The system gives the number of a closed file to the next one.
        if (!file.isClosed || this.files.get(fd) !== file) return;
        this.files.delete(fd);
        closeSync(fd);
      }),
    );
  }

  private async syncNames(): Promise<void> {
    while (this.namesSync) await this.namesSync;
    if (!this.hasNewNames) return;
    this.hasNewNames = false;
    this.namesSync = this.disk.syncFolder(this.folder).finally(() => (this.namesSync = undefined));
    await this.namesSync;
  }
}
