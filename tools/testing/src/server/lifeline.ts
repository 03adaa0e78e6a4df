import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A pipe that ends for its reader when this process closes `writeEnd`, exits or is killed. */
export interface Lifeline {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** Opens a named pipe, because Node's own pipes are sockets, which cannot be reopened as /dev/stdin. */
export function openLifeline(): Lifeline {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  try {
    const path = join(folder, 'lifeline');
    execFileSync('mkfifo', [path]);
    // Open it for reading and writing first: opening only one side would wait for the other.
    const writeEnd = openSync(path, 'r+');
    return { writeEnd, readEnd: openSync(path, 'r') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
