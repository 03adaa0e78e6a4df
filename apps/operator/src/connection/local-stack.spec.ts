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
// A pid that is larger than any on Linux.
const nobody = 2 ** 30;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-operator-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('finds the stack of a running process', async () => {
  await writeFile(localStackFile(folder), JSON.stringify(aStack()));

  expect(findLocalStack(folder)).toMatchObject({ kafka: { brokers: ['127.0.0.1:9092'] } });
});

it.each([
  ['the process has ended', JSON.stringify(aStack({ pid: nobody }))],
  ['there is no pid', JSON.stringify(aStack({ pid: undefined }))],
  ['servers are missing', JSON.stringify(aStack({ kafka: undefined }))],
  ['brokers are not a list', JSON.stringify(aStack({ kafka: { brokers: 'a:1' } }))],
  ['the file is incomplete', '{"pid":'],
  ['the file has only null', 'null'],
])('finds none when %s', async (_, content) => {
  await writeFile(localStackFile(folder), content);

  expect(findLocalStack(folder)).toBeUndefined();
});

it('finds none without the file', () => expect(findLocalStack(folder)).toBeUndefined());
