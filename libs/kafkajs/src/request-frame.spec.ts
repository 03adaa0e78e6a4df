import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeByteWrapper } from './finished-bytes.js';
import { replaceRequestFrame } from './request-frame.js';

type Frame = (parameters: object) => Promise<{ readonly buffer: Buffer }>;

const require = createRequire(import.meta.url);
const path = 'kafkajs/src/protocol/request.js';

it('writes the same bytes as kafkajs', async () => {
  const original = require(path) as Frame;
  Reflect.deleteProperty(require.cache, require.resolve(path));
  replaceRequestFrame(require);
  const replacement = require(path) as Frame;
  expect(replacement).not.toBe(original);

  const wrapBytes = makeByteWrapper(require);
  const parameters = fc.record({
    correlationId: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    clientId: fc.string({ unit: 'grapheme' }),
    request: fc.record({
      apiKey: fc.nat(70),
      apiVersion: fc.nat(20),
      encode: fc.uint8Array({ maxLength: 5_000 }).map((body) => () => Promise.resolve(wrapBytes(Buffer.from(body)))),
    }),
  });
  await fc.assert(
    fc.asyncProperty(parameters, async (frameParameters) => {
      const [ours, theirs] = await Promise.all([replacement(frameParameters), original(frameParameters)]);
      expect(ours.buffer.equals(theirs.buffer)).toBe(true);
    }),
  );
});
