import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const sizeMib = 16;

/** A small disk that can be full: a file system in memory; without the right to mount one, a flag. */
export class SmallDisk {
  private constructor(
    private readonly folder: string,
    readonly isMounted: boolean,
  ) {}

  static create(folder: string): SmallDisk {
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'sluice-faults', folder], { stdio: 'ignore' });
      return new SmallDisk(folder, true);
    } catch {
      return new SmallDisk(folder, false);
    }
  }

  get directory(): string {
    return join(this.folder, 'queue');
  }

  /** File whose existence makes writes fail, if no file system is mounted. */
  get flag(): string | undefined {
    return this.isMounted ? undefined : this.filling;
  }

  fill(): void {
    if (!this.isMounted) {
      writeFileSync(this.filling, '');
      return;
    }
    const fd = openSync(this.filling, 'a');
    try {
      for (const block of [Buffer.alloc(65_536), Buffer.alloc(512), Buffer.alloc(1)]) fillWith(fd, block);
    } finally {
      closeSync(fd);
    }
  }

  free(): void {
    rmSync(this.filling, { force: true });
  }

  remove(): void {
    if (this.isMounted) execFileSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get filling(): string {
    return join(this.folder, 'fill');
  }
}

function fillWith(fd: number, block: Buffer): void {
  try {
    while (writeSync(fd, block) === block.length);
  } catch {
    // No more room for a block of this size.
  }
}
