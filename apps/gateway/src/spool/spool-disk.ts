import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from '@sluice/service';

/** A scrape waits at most this long for a hanging disk, then shows the last known values. */
const waitMs = 500;

/** Exports how much of the disk of the spool is free, also to others: the spool is not the only one who fills it. */
export class SpoolDisk {
  private room = { bytes: 1, files: 1 };
  private reading: Promise<void> | undefined;

  constructor(
    private readonly folder: string,
    registry: Registry,
  ) {
    const gauges = [
      [
        'sluice_spool_disk_free_ratio',
        'Share of the disk of the spool that is free, from 0 to 1',
        () => this.room.bytes,
      ],
      [
        'sluice_spool_disk_free_files_ratio',
        'Share of the inodes of that disk that are free, from 0 to 1',
        () => this.room.files,
      ],
    ] as const;
    for (const [name, help, readShare] of gauges) {
      const read = (): Promise<unknown> => this.read();
      new Gauge({
        name,
        help,
        registers: [registry],
        aggregator: 'min',
        async collect() {
          await read();
          this.set(readShare());
        },
      });
    }
  }

  private read(): Promise<unknown> {
    // One read at a time: those of a disk that hangs would take all threads of Node.
    this.reading ??= this.readRoom().finally(() => (this.reading = undefined));
    return Promise.race([this.reading, sleep(waitMs, undefined, { ref: false })]);
  }

  private async readRoom(): Promise<void> {
    try {
      const { bavail, blocks, ffree, files } = await statfs(this.folder);
      // Some file systems have no number of files.
      this.room = { bytes: blocks === 0 ? 1 : bavail / blocks, files: files === 0 ? 1 : ffree / files };
    } catch {
      // The folder is made by the first message; what was last known stays.
    }
  }
}
