import { execFile, spawnSync } from 'node:child_process';
import { mkdir, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '@sluice/testing';

const run = promisify(execFile);
/** Space for writes between reading and setting the size. */
const minRoomKb = 512;
const lookMs = 20;

/** File systems in memory, each with its own size. Only root can mount them. They end with this process. */
export class Mounts {
  private readonly folders = new Set<string>();

  constructor() {
    process.once('exit', () => this.unmountAll());
  }

  async mount(folder: string, megabytes: number): Promise<void> {
    await mkdir(folder, { recursive: true });
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
      this.folders.add(folder);
    } catch {
      // Callers check whether the mount exists.
    }
  }

  has(folder: string): boolean {
    return this.folders.has(folder);
  }

  /** Shrinks the file system to the size of its content and some room, by default almost none. */
  async fill(folder: string, roomKb = minRoomKb): Promise<void> {
    await eventually(async () => {
      const { blocks, bfree, bsize } = await statfs(folder);
      await this.resize(folder, `${Math.ceil(((blocks - bfree) * bsize) / 1_024) + roomKb}k`);
    });
  }

  async resize(folder: string, size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, folder]);
  }

  /** Watches the file system for this time. Resolves with the fewest bytes that were free. */
  async minFree(folder: string, ms: number): Promise<number> {
    const end = Date.now() + ms;
    let min = Infinity;
    while (Date.now() < end) {
      const { bfree, bsize } = await statfs(folder);
      min = Math.min(min, bfree * bsize);
      await sleep(lookMs);
    }
    return min;
  }

  unmountAll(): void {
    for (const folder of this.folders) spawnSync('umount', ['-l', folder]);
    this.folders.clear();
  }
}
