import { closeSync } from 'node:fs';
import { type Clock } from '@sluice/sdk-core';
import { type Disk } from './disk.js';

/** Max time from an append to the start of its sync. */
const latestMs = 1_000;

/** A file that is appended to. It is not identified by `fd`, which the system gives to another file after a close. */
export interface Appended {
  readonly fd: number;
  /** True if the file gets nothing more. */
  isClosed: boolean;
  /** True if the file was removed. */
  isGone: boolean;
}

/** Makes files permanent: a batch before it is sent, and every message within a second. */
export class Syncing {
  private readonly files = new Set<Appended>();
  private readonly running = new Set<Promise<unknown>>();
  private cancelTimer: (() => void) | undefined;
  private hasNewNames = false;
  private namesSync: Promise<void> | undefined;

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    private readonly folder: string,
  ) {}

  created(fd: number): Appended {
    this.hasNewNames = true;
    const file = { fd, isClosed: false, isGone: false };
    this.files.add(file);
    this.appended();
    return file;
  }

  appended(): void {
    this.cancelTimer ??= this.clock.later(latestMs, () => {
      this.cancelTimer = undefined;
      void this.syncAll();
    });
  }

  /** Notes that the file gets nothing more. It is closed once it is permanent, or without a sync if it was removed. */
  closed(file: Appended, isGone = false): void {
    Object.assign(file, { isClosed: true, isGone });
    this.appended();
  }

  /** Resolves when the file and its name are permanent. */
  async sync(fd: number): Promise<void> {
    const sync = Promise.all([this.disk.sync(fd), this.syncNames()]);
    this.running.add(sync);
    await sync.finally(() => this.running.delete(sync));
  }

  /** Makes everything permanent, and closes the files. */
  async end(): Promise<void> {
    this.cancelTimer?.();
    for (const file of this.files) file.isClosed = true;
    await this.syncAll();
    await Promise.allSettled(this.running);
  }

  private async syncAll(): Promise<void> {
    await Promise.all(
      [...this.files].map(async (file) => {
        if (!file.isGone) await this.sync(file.fd).catch(() => undefined);
        if (file.isClosed && this.files.delete(file)) closeSync(file.fd);
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
