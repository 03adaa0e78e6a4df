import { afterAll, expect } from 'vitest';

const before = process.env['TOPIC_PREFIX'];
afterAll(() => {
  expect(process.env['TOPIC_PREFIX'], 'a spec that sets it is listed as ownInstallation in vitest.config.ts').toBe(
    before,
  );
});
