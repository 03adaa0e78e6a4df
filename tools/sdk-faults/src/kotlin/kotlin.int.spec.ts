import { expect, it } from 'vitest';
import { maven, mavenTests } from './maven-tests.js';

const patienceMs = 900_000;

it('the core of the Kotlin SDK passes its tests, every vector of the contract among them', async () => {
  const { tests, skipped } = await mavenTests('core');
  console.log(`Kotlin SDK, core: ${tests} tests`);
  expect(tests).toBeGreaterThan(230);
  expect(skipped).toBe(0);
}, patienceMs);

it('the Android SDK passes its tests on two API levels', async ({ skip }) => {
  // Robolectric's framework jars. Where they cannot be had, the machine is no place for these tests.
  const framework = ['-pl', 'android', ...['23', '35', 'x'].map((id) => `dependency:get@android-${id}`)];
  const missing = await maven(...framework).then(() => undefined, (error: unknown) => error);
  if (missing !== undefined) {
    if (process.env['CI'] === 'true') throw missing;
    console.log('Android SDK: skipped, Maven cannot fetch Robolectric. Run it with: mvn -f sdks/kotlin/pom.xml test');
    skip();
  }
  const { tests, skipped } = await mavenTests('android');
  console.log(`Android SDK: ${tests} tests`);
  expect(tests).toBeGreaterThan(40);
  expect(skipped).toBe(0);
}, patienceMs);
