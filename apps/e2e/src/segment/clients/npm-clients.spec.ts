import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { createSegmentSource, type SegmentSource } from '../write-key.js';
import { expectAllStored, runThroughFaults } from './published-client.js';

const count = 1_000;
let source: SegmentSource;
beforeAll(async () => {
  source = await createSegmentSource();
});

it('every message of @segment/analytics-node is stored once, though its gateway is killed twice', async () => {
  const userId = randomUUID();
  const program = fileURLToPath(new URL('programs/analytics-node.mjs', import.meta.url));
  await runThroughFaults(
    { command: process.execPath, args: [program] },
    { source, userId, count },
    { pausesKafka: false },
  );
  await expectAllStored(userId, count);
  expect.hasAssertions();
});
