import { beforeAll, expect, it } from 'vitest';
import { forgetTests, mavenFailure, testsOf } from './maven-tests.js';

const patienceMs = 900_000;
/** Robolectric's framework jars, and what it needs of Google. Where they cannot be had, its tests cannot run. */
const framework = ['23', '35', 'x'].map((id) => `dependency:get@android-${id}`);

let missing: string | undefined;
let failure: string | undefined;

beforeAll(async () => {
  missing = await mavenFailure('-pl', 'android', ...framework);
  for (const module of ['core', 'android']) await forgetTests(module);
  failure = await mavenFailure(...(missing === undefined ? [] : ['-pl', 'core']), '--fail-at-end', 'test');
}, patienceMs);

it('the core of the Kotlin SDK passes its tests, every vector of the contract among them', async () => {
  const { tests, ...others } = await testsOf('core');
  console.log(`Kotlin SDK, core: ${tests} tests`);
  expect(others, failure).toEqual({ failures: 0, errors: 0, skipped: 0 });
  expect(tests, failure).toBeGreaterThan(230);
});

it('the Android SDK passes its tests on two API levels', async ({ skip }) => {
  if (missing !== undefined) {
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log('Android SDK: skipped, Maven cannot fetch Robolectric. Run it with: mvn -f sdks/kotlin/pom.xml test');
    skip();
  }
  const { tests, ...others } = await testsOf('android');
  console.log(`Android SDK: ${tests} tests`);
  expect(others, failure).toEqual({ failures: 0, errors: 0, skipped: 0 });
  expect(tests, failure).toBeGreaterThan(40);
});

it('the whole build passes', () => {
  expect(failure).toBeUndefined();
});
