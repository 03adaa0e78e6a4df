import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** File systems in memory, each with a size of its own. Only root may make them. */
export class Mounts {
  private readonly folders: string[] = [];

  /** Whether it could be mounted. */
  async mount(folder: string, megabytes: number): Promise<boolean> {
    await mkdir(folder, { recursive: true });
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
    } catch {
      return false;
    }
    this.folders.push(folder);
    return true;
  }

  has(folder: string): boolean {
    return this.folders.includes(folder);
  }

  /** Nothing more can be written: the file system is as large as what is in it. */
  async fill(folder: string): Promise<void> {
    const { blocks, bfree, bsize } = await statfs(folder);
    await this.resize(folder, `${Math.ceil(((blocks - bfree) * bsize) / 1_024)}k`);
  }

  async resize(folder: string, size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, folder]);
  }

  async unmountAll(): Promise<void> {
    for (const folder of this.folders.splice(0)) await run('umount', ['-l', folder]);
  }
}
