import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A pipe whose reader sees its end when this process closes `writeEnd`, exits or is killed. */
export interface Lifeline {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** A named pipe, because Node's own pipes are sockets, which cannot be opened again as /dev/stdin. */
export function openLifeline(): Lifeline {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  try {
    const path = join(folder, 'lifeline');
    execFileSync('mkfifo', [path]);
    // Opened for both first: opening one side alone would wait for the other.
    const writeEnd = openSync(path, 'r+');
    return { writeEnd, readEnd: openSync(path, 'r') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
