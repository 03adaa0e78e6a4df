import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rebalanceTimeoutMs, type SyncGroup, syncGroupWith } from './sync-group.js';

// kafkajs' own request, as it is without ours.
const original = createRequire(import.meta.url)('kafkajs/src/protocol/requests/syncGroup') as SyncGroup;
const ours = syncGroupWith(original);

interface Request {
  encode(): Promise<{ readonly buffer: Buffer }>;
}

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const parameters = fc.record({
  groupId: text,
  generationId: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
  memberId: text,
  groupInstanceId: fc.option(text, { nil: null }),
  groupAssignment: fc.array(
    fc.record({
      memberId: text,
      memberAssignment: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    }),
    { maxLength: 4 },
  ),
});

it('sends the same request as kafkajs, in every version, and waits longer than a rebalance for the answer', async () => {
  expect(ours.versions).toEqual(original.versions);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...original.versions.map(Number)), parameters, async (version, syncParameters) => {
      const [request, reference] = [
        ours.protocol({ version })(syncParameters),
        original.protocol({ version })(syncParameters),
      ];
      const [bytes, expected] = await Promise.all(
        [request, reference].map(({ request }) => (request as Request).encode()),
      );
      expect(bytes?.buffer.equals(expected?.buffer ?? Buffer.alloc(0))).toBe(true);
      expect(request.response).toBe(reference.response);
      expect(reference.requestTimeout).toBeUndefined();
      expect(request.requestTimeout).toBeGreaterThan(rebalanceTimeoutMs);
    }),
  );
});
