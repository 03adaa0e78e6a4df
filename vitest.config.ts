import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';

// Tests run on the sources of Sluice's own packages, without a build (`exports` of each package.json).
const conditions = ['@sluice/source'];
const resolve = { resolve: { conditions }, ssr: { resolve: { conditions } } };
const setupFiles = ['vitest.setup.ts'];
/** Node options that make threads and programs started by a test run on the sources too. Threads inherit them. */
const execArgv = [
  '--import',
  import.meta.resolve('./run-sources.mjs'),
  ...conditions.map((condition) => `--conditions=${condition}`),
];
/** Unit and integration tests run at the same time: integration tests mostly wait, and unit tests compute. */
const maxWorkers = 3;
const sources = '{apps,libs,sdks,tools,tests}/*/src/**';

/**
 * Specs that need a process of their own: they count its timers, read its memory, replace modules (`vi.mock`), or compare
 * a module with the one that it replaces.
 */
const alone = [
  'apps/console/src/status/status-cache.spec.ts',
  'apps/gateway/src/workers/worker.spec.ts',
  'libs/kafkajs/src/*.spec.ts',
  'libs/operations/src/status/processes.spec.ts',
  'libs/service/src/young-generation.spec.ts',
];
/** Integration specs that are an installation of their own: a process reads TOPIC_PREFIX once, before its first import. */
const ownInstallation = [
  'apps/console/src/access.int.spec.ts',
  'apps/console/src/dead-letters/letters.int.spec.ts',
  'apps/console/src/payload/every-answer.int.spec.ts',
  'apps/console/src/several-instances.int.spec.ts',
  '{apps/{console,operator},libs/operations}/src/privacy/*.int.spec.ts',
  'apps/operator/src/refused/replay-refused.int.spec.ts',
  'libs/privacy/src/suppressions.int.spec.ts',
];
/** Builds of the phones' SDKs by Maven and SwiftPM, with their own tests. They take minutes: npm run test:phones, decision 104. */
const phones = ['tests/sdk-faults/src/kotlin/*.int.spec.ts', 'tests/e2e/src/sdk/swift/*.int.spec.ts'];
/**
 * Specs that look at one promise over everything, each for more than twenty seconds of the processor: npm run test:long,
 * which .ci/run calls after npm test. Other specs of npm test have their single cases (decision 104).
 */
const long = [
  'apps/operator/src/doctor/doctor.int.spec.ts',
  'libs/clickhouse/src/hostile-profile.int.spec.ts',
  'libs/operations/src/analysts/linked-people.int.spec.ts',
  'libs/operations/src/analysts/ranges.int.spec.ts',
  'libs/operations/src/analysts/reader-settings.int.spec.ts',
  'libs/operations/src/watch/watch-cost.int.spec.ts',
  'tests/e2e/src/free-form/neighbours.int.spec.ts',
  'tests/e2e/src/privacy/replays.int.spec.ts',
  'tests/e2e/src/rights/rights.int.spec.ts',
  'tools/demo/src/lost-event/lost-event.int.spec.ts',
  'tools/testing/src/embedded.int.spec.ts',
];
/** End-to-end specs that npm run test:long runs, for the same reason. */
const longE2e = [
  'tests/e2e/src/console/hostile.spec.ts',
  'tests/e2e/src/console/stay.spec.ts',
  'tests/e2e/src/demo.spec.ts',
  'tests/e2e/src/rolling-restart.spec.ts',
  'tests/e2e/src/runbooks.spec.ts',
  'tests/e2e/src/sdk/web-clock.spec.ts',
];
/** End-to-end specs of which npm test runs single cases, and npm run test:long all. */
const partlyLong = ['tests/e2e/src/catalog-replace.spec.ts', 'tests/e2e/src/console/pages.spec.ts'];
for (const file of [...long, ...longE2e, ...partlyLong])
  if (!existsSync(file)) throw new Error(`vitest.config.ts names ${file}, which does not exist`);
/** Modules that replace others: a process may load them only once. */
const replacing = /\/libs\/kafkajs\/src\/(?!.*\.spec)/;
/** Specs share a process, which loads each module once: loading took half as long as the unit tests. */
const shared = {
  isolate: false,
  setupFiles: [...setupFiles, 'vitest.shared-setup.ts'],
  server: { deps: { external: [replacing] } },
};
/** Options of all unit tests. */
const unit = {
  execArgv,
  setupFiles,
  // A test of half a second takes ten on a machine with many other programs.
  testTimeout: 30_000,
  maxWorkers,
};

/** Options of all integration tests. */
const integration = {
  execArgv,
  setupFiles,
  globalSetup: 'tools/testing/src/global-setup.ts',
  testTimeout: 120_000,
  hookTimeout: 120_000,
  maxWorkers,
  retry: 1,
};

/** Options of all end-to-end tests. */
const endToEnd = {
  // Integration tests end first: the stack needs the processors.
  sequence: { groupOrder: 1 },
  globalSetup: 'tests/e2e/src/global-setup.ts',
  testTimeout: 120_000,
  hookTimeout: 120_000,
  retry: 1,
  // All share one stack; most of them wait for it most of the time.
  maxWorkers,
  isolate: false,
};

/** Prints the last line, which scripts read: `12 passed, 0 failed, 0 skipped`. */
const summary: Reporter = {
  onTestRunEnd(modules) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const states = tests.map((test) => test.result().state);
    const count = (state: string): number => states.filter((candidate) => candidate === state).length;
    // Decision 105: each of them is a bug of the test or of the product.
    for (const test of tests.filter((candidate) => candidate.diagnostic()?.flaky)) {
      const [error] = test.result().errors ?? [];
      console.log(`\npassed only when it was repeated: ${test.module.relativeModuleId} > ${test.fullName}`);
      console.log((error?.stack ?? error?.message ?? '').split('\n', 3).join('\n'));
    }
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length;
    console.log(`\n${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`);
  },
};

/** Files that take more than a minute. */
const longest = /\/(erasure|kills)\.int\.spec\.ts$|\/partition-blocks\.model\.spec\.ts$/;

/** Begins with the longest files: one that begins last runs alone while the other processor idles. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const isSet = (variable: string): boolean => process.env[variable] !== undefined;

/** A project that exists only while an environment variable is set. */
const when = (variable: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration[] =>
  isSet(variable) ? [{ ...resolve, test }] : [];

// Most brokers of tests live for seconds, in which Java's second compiler costs a third of their processor time. Tests
// that measure have it.
if (!['ATTACKS', 'FAULTS'].some(isSet)) process.env['KAFKA_JAVA_OPTIONS'] ??= '-XX:TieredStopAtLevel=1';

// Apps are started hundreds of times, and compiling them is an eighth of that.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

export default defineConfig({
  test: {
    reporters: ['default', summary],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...resolve,
        test: {
          ...unit,
          ...shared,
          name: 'unit',
          include: [`${sources}/*.spec.ts`],
          exclude: [`${sources}/*.int.spec.ts`, 'tests/e2e/**', ...alone],
        },
      },
      {
        ...resolve,
        test: { ...unit, name: 'unit alone', include: alone, exclude: [`${sources}/*.int.spec.ts`] },
      },
      {
        ...resolve,
        test: {
          ...integration,
          ...shared,
          name: 'integration',
          include: [`${sources}/*.int.spec.ts`],
          exclude: [...ownInstallation, ...phones, ...long],
        },
      },
      { ...resolve, test: { ...integration, name: 'integration alone', include: ownInstallation } },
      {
        ...resolve,
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['tests/e2e/src/**/*.spec.ts'],
          exclude: ['**/*.int.spec.ts', ...longE2e],
        },
      },
      // Not part of `npm test`; .ci/run runs both after that.
      ...when('LONG', {
        ...integration,
        name: 'long',
        include: [...long, 'libs/operations/src/watch/watch.spec.ts'],
        env: { WATCH_SOURCES: '50' },
      }),
      ...when('LONG', {
        ...endToEnd,
        name: 'long e2e',
        include: [...longE2e, ...partlyLong],
      }),
      ...when('PHONES', { ...integration, name: 'phones', include: phones, globalSetup: [], maxWorkers: 1 }),
      // Not part of `npm test`: it takes minutes and a Python package (npm run test:fuzz).
      ...when('FUZZ', {
        name: 'fuzz',
        include: ['tests/e2e/src/fuzz/*.fuzz.ts'],
        globalSetup: 'tests/e2e/src/global-setup.ts',
        hookTimeout: 300_000,
      }),
      // Not part of `npm test`: it takes a quarter of an hour (npm run test:faults). Fault tests measure, so each needs
      // the whole machine.
      ...when('FAULTS', {
        name: 'faults',
        setupFiles,
        include: ['tests/e2e/src/faults/*.faults.ts'],
        hookTimeout: 300_000,
        fileParallelism: false,
      }),
      // Needs a replicated cluster, which npm lacks (npm run test:cluster). Its specs pause the one Keeper.
      ...when('CLUSTER', {
        name: 'cluster',
        setupFiles,
        include: ['tests/e2e/src/cluster/*.cluster.ts'],
        testTimeout: 300_000,
        hookTimeout: 300_000,
        fileParallelism: false,
      }),
      // Clients of Segment and RudderStack from the registries of their languages (npm run test:clients).
      ...when('CLIENTS', {
        name: 'clients',
        setupFiles,
        include: ['tests/e2e/src/segment/clients/*.clients.ts'],
        globalSetup: 'tests/e2e/src/global-setup.ts',
        hookTimeout: 120_000,
        fileParallelism: false,
      }),
      // Generators of clients from npm and PyPI read the OpenAPI document (npm run test:generators).
      ...when('GENERATORS', {
        name: 'generators',
        setupFiles,
        include: ['tests/e2e/src/openapi/*.generators.ts'],
        globalSetup: 'tests/e2e/src/global-setup.ts',
        hookTimeout: 600_000,
        fileParallelism: false,
      }),
      // Clients of analysts from PyPI and Maven read the tables (npm run test:analysts).
      ...when('ANALYSTS', {
        name: 'analysts',
        setupFiles,
        include: ['libs/operations/src/analysts/*.analysts.ts'],
        hookTimeout: 300_000,
      }),
      // Hostile clients next to an ordinary one (npm run test:attacks).
      ...when('ATTACKS', {
        name: 'attacks',
        setupFiles,
        include: ['tests/e2e/src/attacks/*.attack.ts'],
        globalSetup: 'tests/e2e/src/global-setup.ts',
        hookTimeout: 120_000,
        fileParallelism: false,
      }),
    ],
  },
});
