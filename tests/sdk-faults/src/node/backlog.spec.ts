import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { batchesInWords, waitingBatches } from './backlog.js';

it('names the batches that wait in a directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-backlog-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  expect(waitingBatches(directory)).toEqual([]);
  const owner = join(directory, 'batches', 'owner');
  mkdirSync(owner, { recursive: true });
  writeFileSync(join(owner, 'key.batch'), 'text');
  writeFileSync(join(owner, 'key.part'), '');
  const files = waitingBatches(directory);
  expect(files).toEqual([join(owner, 'key.batch')]);
  expect(batchesInWords([...files, 'none'])).toEqual([
    expect.stringMatching(/^left: .*key\.batch, 4 bytes, written \d+ s ago$/),
    'left: none, gone since then',
  ]);
});
