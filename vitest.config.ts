import { defineConfig } from 'vitest/config';

// Tests run on the sources of our own packages, with no build between (`exports` of each package.json).
const conditions = ['@sluice/source'];
const resolve = { resolve: { conditions }, ssr: { resolve: { conditions } } };
const sources = '{apps,libs,tools}/*/src/**';

export default defineConfig({
  test: {
    projects: [
      {
        ...resolve,
        test: { name: 'unit', include: [`${sources}/*.spec.ts`], exclude: [`${sources}/*.int.spec.ts`, 'apps/e2e/**'] },
      },
      {
        ...resolve,
        test: {
          name: 'integration',
          include: [`${sources}/*.int.spec.ts`],
          globalSetup: 'libs/testing/src/global-setup.ts',
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        ...resolve,
        test: {
          name: 'e2e',
          include: ['apps/e2e/src/**/*.spec.ts'],
          globalSetup: 'apps/e2e/src/global-setup.ts',
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
