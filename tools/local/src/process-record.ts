import { signalGroup } from '@sluice/testing';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readJson, writeJson } from './json-file.js';
import { identifyProcess, isIdentity, isStillRunning, type ProcessIdentity } from './process-identity.js';

/** Keeps the server processes of a data folder on disk, so that they can be found after the supervisor is killed. */
export class ProcessRecord {
  private readonly running = new Map<string, ProcessIdentity>();
  private readonly path: string;

  constructor(dataDir: string) {
    this.path = join(dataDir, 'processes.json');
  }

  /** Processes of a killed supervisor that still run. Other processes that reuse a recorded pid are left out. */
  async orphans(): Promise<ProcessIdentity[]> {
    const recorded = readJson(this.path);
    const orphans = [];
    for (const identity of Array.isArray(recorded) ? recorded : []) {
      if (isIdentity(identity) && (await isStillRunning(identity))) orphans.push(identity);
    }
    return orphans;
  }

  /** Records the process that now runs under this name. */
  async put(name: string, pid: number): Promise<void> {
    const identity = await identifyProcess(pid);
    if (identity) this.running.set(name, identity);
    writeJson(this.path, [...this.running.values()]);
  }

  clear(): void {
    this.running.clear();
    writeJson(this.path, []);
  }
}

/** Sends SIGTERM to each process group, and SIGKILL to those still running after `graceMs`. */
export async function stopOrphans(orphans: readonly ProcessIdentity[], graceMs = 10_000): Promise<void> {
  const deadline = Date.now() + graceMs;
  const running = new Set(orphans);
  for (const { pid } of running) signalGroup(pid, 'SIGTERM');
  while (running.size > 0) {
    await delay(50);
    for (const orphan of running) {
      if (!(await isStillRunning(orphan))) running.delete(orphan);
      else if (Date.now() > deadline) signalGroup(orphan.pid, 'SIGKILL');
    }
  }
}
