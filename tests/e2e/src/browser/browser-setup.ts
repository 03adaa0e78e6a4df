import { installedPrograms, missing } from './installed.js';

/** Prints what is missing and skips tests. Exits before the stack starts if no browser is installed. */
export function setup(): void {
  for (const reason of missing()) process.stderr.write(`SKIPPED  tests that need it: ${reason}\n`);
  if (installedPrograms.chromium !== undefined || installedPrograms.firefox !== undefined) return;
  process.stderr.write('No browser was found: install one, or set CHROMIUM_PATH or FIREFOX_PATH.\n');
  process.exit(1);
}
