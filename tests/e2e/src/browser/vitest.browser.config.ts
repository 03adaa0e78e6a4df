import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const conditions = ['@sluice/source'];
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Separate from the other tests, because not every machine has a browser. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: 'browser',
    root: here('.'),
    include: ['*.browser.ts'],
    globalSetup: [here('browser-setup.ts'), here('../global-setup.ts')],
    testTimeout: 60_000,
    // Firefox needs minutes to start on a machine with many other programs.
    hookTimeout: 300_000,
  },
});
