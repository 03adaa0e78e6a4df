import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-sources-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** The message of a thread whose program and import are TypeScript but named with the suffix of a build. */
async function saidByThread(): Promise<unknown> {
  const worker = new Worker(pathToFileURL(join(folder, 'thread.js')));
  const [answer] = (await once(worker, 'message')) as [unknown];
  await worker.terminate();
  return answer;
}

it('a thread started by a test runs the current sources', async () => {
  await writeFile(
    join(folder, 'thread.ts'),
    `import { parentPort } from 'node:worker_threads'; import { Said } from './said.js'; parentPort!.postMessage(new Said('a').text);`,
  );
  await writeFile(join(folder, 'said.ts'), 'export class Said { constructor(readonly text: string) {} }');
  expect(await saidByThread()).toBe('a');
  await writeFile(
    join(folder, 'said.ts'),
    'export class Said { readonly text: string = "changed"; constructor(_: string) {} }',
  );
  expect(await saidByThread()).toBe('changed');
}, 60_000);

it('no app or library names a program in dist, of which a test could run a stale build', () => {
  const files = globSync(['{apps,libs}/*/src/**/*.ts', 'tools/testing/src/**/*.ts'], { cwd: root }).filter(
    (file) => file !== 'tools/testing/src/run-sources.spec.ts',
  );
  expect(files.length).toBeGreaterThan(300);
  const naming = files.filter((file) => /['"`/.]\/dist\//.test(readFileSync(join(root, file), 'utf8')));
  expect(naming).toEqual([]);
});
