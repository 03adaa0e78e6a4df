import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findLocalStack, localStackFile } from './local-stack.js';

const aStack = (change: Record<string, unknown> = {}) => ({
  pid: process.pid,
  gateway: { url: 'http://127.0.0.1:8080' },
  kafka: { brokers: ['127.0.0.1:9092'], pid: 1 },
  clickhouse: { url: 'http://127.0.0.1:8123', database: 'sluice' },
  ...change,
});
// Beyond what Linux hands out.
const nobody = 2 ** 30;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-operator-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('finds the stack of a process that runs', async () => {
  await writeFile(localStackFile(folder), JSON.stringify(aStack()));

  expect(findLocalStack(folder)).toMatchObject({ kafka: { brokers: ['127.0.0.1:9092'] } });
});

it.each([
  ['the process is gone', JSON.stringify(aStack({ pid: nobody }))],
  ['there is no pid', JSON.stringify(aStack({ pid: undefined }))],
  ['servers are missing', JSON.stringify(aStack({ kafka: undefined }))],
  ['brokers are no list', JSON.stringify(aStack({ kafka: { brokers: 'a:1' } }))],
  ['it is half written', '{"pid":'],
  ['it says nothing', 'null'],
])('finds none when %s', async (_, content) => {
  await writeFile(localStackFile(folder), content);

  expect(findLocalStack(folder)).toBeUndefined();
});

it('finds none without the file', () => {
  expect(findLocalStack(folder)).toBeUndefined();
});
