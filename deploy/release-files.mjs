// `npm run release:files`: makes the files of the SDKs that a release has, from which they are installed without any
// registry: the tarballs of npm, the AAR, a Maven repository with it, the Swift package, and the sums of all of them.
//   node deploy/release-files.mjs [FOLDER]   default: dist/release
// An SDK whose tools are missing is left out, and named at the end.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sumsName = 'SHA256SUMS';
/** The names of the files, also of those of an earlier version. */
const namePattern = 'sluice-{web,node,react-native,android,ios}-*';

const run = (program, args, cwd = root) => execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
const has = (program, arg = '--version') => spawnSync(program, [arg], { stdio: 'ignore' }).status === 0;

/** The tarballs that `npm install` takes by their path. */
function packNpm(target) {
  run('npm', ['run', '-s', 'pack:sdks']);
  for (const tarball of globSync('dist/sdks/*.tgz', { cwd: root }))
    cpSync(join(root, tarball), join(target, basename(tarball)));
}

/** The AAR, and a repository whose folder Gradle and Maven read. */
function packAndroid(target, work) {
  // Without what only its tests need, which is most of what Maven would fetch.
  run('mvn', ['-B', '-q', '-ntp', '-f', 'sdks/kotlin/pom.xml', 'package', '-Dmaven.test.skip=true']);
  const repository = join(work, 'sluice-maven');
  run(process.execPath, ['sdks/kotlin/release/repository.mjs', repository]);
  const aar = `sluice-android-${version}.aar`;
  cpSync(join(repository, 'tech/sluice/sluice-android', version, aar), join(target, aar));
  // `jar` comes with Java, which Maven needs; `zip` may be missing.
  const archive = join(target, `sluice-android-${version}-maven.zip`);
  run('jar', ['--create', '--no-manifest', '--file', archive, '-C', work, basename(repository)]);
}

/** The Swift package, which Xcode and SwiftPM take as a folder. */
function packIos(target, work) {
  const repository = join(work, 'sluice-ios');
  run(process.execPath, ['sdks/swift/release/export.mjs', repository]);
  const archive = join(target, `sluice-ios-${version}.zip`);
  run('git', ['archive', '--format=zip', '--prefix=sluice-ios/', `--output=${archive}`, version], repository);
}

/**
 * Makes the files in a folder, which may have others.
 * @returns their names, and for each SDK that is left out the reason
 */
export function makeReleaseFiles(target) {
  const work = mkdtempSync(join(tmpdir(), 'sluice-files-'));
  const missing = [];
  try {
    mkdirSync(target, { recursive: true });
    for (const old of globSync(namePattern, { cwd: target })) rmSync(join(target, old));
    packNpm(target);
    if (has('mvn') && has('jar')) packAndroid(target, work);
    else missing.push('Android: no mvn or no jar here (Maven, and Java 17 or later)');
    if (has('git')) packIos(target, work);
    else missing.push('iOS: no git here');
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const names = globSync(namePattern, { cwd: target }).sort();
  const sum = (name) =>
    createHash('sha256')
      .update(readFileSync(join(target, name)))
      .digest('hex');
  writeFileSync(join(target, sumsName), names.map((name) => `${sum(name)}  ${name}\n`).join(''));
  return { names: [...names, sumsName], missing };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const target = resolve(process.argv[2] ?? join(root, 'dist/release'));
  const { names, missing } = makeReleaseFiles(target);
  console.log(`In ${target}:`);
  for (const name of names) console.log(`  ${name}`);
  for (const reason of missing) console.log(`Left out: ${reason}`);
}
