// Lays the Android SDK out as a Maven repository, as Maven Central takes it: AAR, sources, javadoc, pom, each with
// checksums and, with --sign, a signature by the key that gpg finds.
//   node sdks/kotlin/release/repository.mjs FOLDER [--version 1.2.3] [--sign]
// `mvn -f sdks/kotlin/pom.xml package -DskipTests` builds what it lays out. FOLDER.zip, the bundle of Central's portal, is
// made by the caller (.github/workflows/release.yml).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const kotlin = dirname(dirname(fileURLToPath(import.meta.url)));
const root = resolve(kotlin, '../..');
const target = join(kotlin, 'android/target');
const artifact = 'sluice-android';
const sums = ['md5', 'sha1', 'sha256', 'sha512'];

const read = (path) => readFileSync(path, 'utf8');
const found = (text, pattern) => pattern.exec(text)?.[1];

/** Version of the build, which the code itself reports too. */
function versionOfSources() {
  const build = found(read(join(kotlin, 'pom.xml')), /<version>([^<]+)<\/version>/);
  const code = found(
    read(join(kotlin, 'android/src/main/kotlin/tech/sluice/SdkVersion.kt')),
    /SDK_VERSION: String = "([^"]+)"/,
  );
  if (build !== code) throw new Error(`pom.xml is version ${build}, SdkVersion.kt ${code}`);
  return build;
}

/** The pom that apps read: Central asks for a name, a licence, developers and the place of the sources. */
function pomOf(version) {
  const project = `https://github.com/${process.env.GITHUB_REPOSITORY ?? 'OWNER/sluice'}`;
  const language = found(read(join(kotlin, 'pom.xml')), /<kotlin.language>([^<]+)</);
  const values = { version, kotlin: `${language}.0`, project };
  return read(join(kotlin, 'android/src/main/published.pom')).replaceAll(/{{(\w+)}}/g, (_, name) => values[name]);
}

/** The javadoc that Central asks for: the guide and the public interface. */
function javadocTo(file, work) {
  mkdirSync(work, { recursive: true });
  // Links of the guide lead to pages of the service, which are not here.
  writeFileSync(
    join(work, 'GUIDE.md'),
    read(join(root, 'docs/sdk/android.md')).replaceAll(/\[([^\]]+)\]\((?!http|#)[^)]+\)/g, '$1'),
  );
  cpSync(join(kotlin, 'android/api/sluice-android.api'), join(work, 'sluice-android.api'));
  cpSync(join(kotlin, 'core/api/sluice-core.api'), join(work, 'sluice-core.api'));
  cpSync(join(root, 'LICENSE'), join(work, 'LICENSE'));
  execFileSync('jar', ['--create', '--file', file, '-C', work, '.']);
  rmSync(work, { recursive: true });
}

function layOut(folder, version, isSigned) {
  const built = join(target, `${artifact}-${versionOfSources()}`);
  if (!existsSync(`${built}.aar`)) throw new Error('Build first: mvn -f sdks/kotlin/pom.xml package -DskipTests');
  const place = join(folder, 'tech/sluice', artifact, version);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const file = (end) => join(place, `${artifact}-${version}${end}`);
  cpSync(`${built}.aar`, file('.aar'));
  cpSync(join(target, 'published-sources.jar'), file('-sources.jar'));
  javadocTo(file('-javadoc.jar'), join(place, 'javadoc'));
  writeFileSync(file('.pom'), pomOf(version));
  for (const name of readdirSync(place)) {
    const path = join(place, name);
    if (isSigned) execFileSync('gpg', ['--batch', '--yes', '--armor', '--detach-sign', path]);
    for (const sum of sums) writeFileSync(`${path}.${sum}`, createHash(sum).update(readFileSync(path)).digest('hex'));
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { version: { type: 'string' }, sign: { type: 'boolean', default: false } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('repository.mjs FOLDER [--version 1.2.3] [--sign]');
layOut(resolve(folder), values.version ?? versionOfSources(), values.sign);
console.log(`${artifact} ${values.version ?? versionOfSources()} is in ${folder}`);
