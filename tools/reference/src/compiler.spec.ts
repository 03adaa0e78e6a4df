import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

// Two packages have a program of this name (docs/decisions/0103-native-tools.md).
it('tsc is the native compiler', () => {
  const tsc = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));
  expect(execFileSync(process.execPath, [tsc, '--version'], { encoding: 'utf8' })).toMatch(/^Version 7\./);
});
