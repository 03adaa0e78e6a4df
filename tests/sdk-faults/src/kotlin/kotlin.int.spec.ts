import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { MavenRepository } from './maven-repository.js';
import { forgetTests, mavenFailure, countTests } from './maven-tests.js';

const timeoutMs = 900_000;
/** Robolectric's framework jars, and what it needs of Google. Without them its tests cannot run. */
const framework = ['23', '26', '30', '33', '34', '35', 'x'].map((id) => `dependency:get@android-${id}`);

let missing: string | undefined;
let failure: string | undefined;

beforeAll(async () => {
  missing = await mavenFailure('-pl', 'android', ...framework);
  for (const module of ['core', 'android']) await forgetTests(module);
  failure = await mavenFailure(...(missing === undefined ? [] : ['-pl', 'core']), '--fail-at-end', 'package');
}, timeoutMs);

it('the core of the Kotlin SDK passes its tests, every vector of the contract among them', async () => {
  const { tests, ...otherCounts } = await countTests('core');
  console.log(`Kotlin SDK, core: ${tests} tests`);
  expect(otherCounts, failure).toEqual({ failures: 0, errors: 0, skipped: 0 });
  expect(tests, failure).toBeGreaterThan(230);
});

it('the Android SDK passes its tests on six API levels', async ({ skip }) => {
  if (missing !== undefined) {
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log('Android SDK: skipped, Maven cannot fetch Robolectric. Run it with: mvn -f sdks/kotlin/pom.xml test');
    skip();
  }
  const { tests, ...otherCounts } = await countTests('android');
  console.log(`Android SDK: ${tests} tests`);
  expect(otherCounts, failure).toEqual({ failures: 0, errors: 0, skipped: 0 });
  expect(tests, failure).toBeGreaterThan(40);
});

it('the whole build passes', () => expect(failure).toBeUndefined());

it(
  'the AAR is a repository that Maven Central takes, and is resolved by its coordinates',
  ({ skip }) => {
    if (missing !== undefined) skip();
    const repository = new MavenRepository();
    try {
      expectSigned(repository);
      const names = repository.resolved();
      expect(names).toContain(`sluice-android-${repository.version}.aar`);
      expect(names.filter((name) => name.startsWith('kotlin-stdlib-'))).toHaveLength(1);
    } finally {
      repository.remove();
    }
  },
  timeoutMs,
);

const sums = ['md5', 'sha1', 'sha256', 'sha512'];

/** Checks for the files that Maven Central asks for, with valid checksums and signatures. */
function expectSigned(repository: MavenRepository): void {
  const base = `sluice-android-${repository.version}`;
  const files = ['.aar', '-sources.jar', '-javadoc.jar', '.pom'].map((end) => base + end);
  const nextTo = [...(repository.isSigned ? ['asc'] : []), ...sums];
  expect(repository.files()).toEqual(files.flatMap((file) => [file, ...nextTo.map((end) => `${file}.${end}`)]).sort());
  for (const file of files) {
    if (repository.isSigned) repository.verify(file);
    for (const sum of sums)
      expect(repository.read(`${file}.${sum}`).toString()).toBe(
        createHash(sum).update(repository.read(file)).digest('hex'),
      );
  }
  const pom = repository.read(`${base}.pom`).toString();
  for (const part of ['name', 'description', 'url', 'licenses', 'developers', 'scm'])
    expect(pom).toContain(`<${part}>`);
  expect(pom).not.toContain('{{');
  const sources = repository.namesIn(`${base}-sources.jar`);
  for (const name of ['Sluice', 'Client']) expect(sources).toContain(`tech/sluice/${name}.kt`);
}
