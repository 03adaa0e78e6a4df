import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const logFolder = (dataDir: string): string => join(dataDir, 'logs');

export const logFile = (dataDir: string, name: string): string => join(logFolder(dataDir), `${name}.log`);

/** Renames every log of the last run to `<name>.log.1`, which replaces the log of the run before. */
export function rotateLogs(dataDir: string): void {
  const folder = logFolder(dataDir);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.log')) renameSync(join(folder, name), join(folder, `${name}.1`));
  }
}
