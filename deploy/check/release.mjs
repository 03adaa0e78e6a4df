// `npm run release:dry`: makes the artefacts of a release in dist/release, publishes nothing, looks into them and installs
// from them. Needs helm. A step whose tool is missing (Maven, a container engine) is skipped, and named at the end.
//   IMAGES_TAG=test    also saves the images that `npm run test:images` built, and looks into the archives
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeReleaseFiles } from '../release-files.mjs';
import { places } from '../version-places.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = join(root, 'dist', 'release');
const scratch = mkdtempSync(join(tmpdir(), 'sluice-release-'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tools = process.env.CHECK_TOOLS ? join(process.env.CHECK_TOOLS, 'bin/') : '';
const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
const has = (program, arg = '--version') => spawnSync(program, [arg], { stdio: 'ignore' }).status === 0;
const notDone = [];
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

/** 1. One version in every place. */
for (const [file, place] of /** @type {[file: string, place: RegExp][]} */ (places)) {
  const found = place.exec(readFileSync(join(root, file), 'utf8'))?.[0];
  assert.ok(found?.endsWith(version), `${file} does not have version ${version}`);
}
console.log(`ok  version ${version} in ${places.length} places`);

/** 2. Notes of a major version, whose heading has one `#`, and of the next, which must not contain them again. */
const changelog = join(scratch, 'CHANGELOG.md');
writeFileSync(
  changelog,
  '## 1.0.1 (2026-02-01)\n\n- second\n\n# 1.0.0 (2026-01-01)\n\n- first\n\n## 0.9.0\n\n- zero\n',
);
const notesOf = (name) => run(process.execPath, ['deploy/release-notes.mjs', name, changelog]).trim();
assert.deepEqual(['1.0.1', '1.0.0', '0.9.0'].map(notesOf), ['- second', '- first', '- zero']);
assert.throws(() => notesOf('1.0'), 'a version that is not there');
console.log('ok  release notes');

/** 3. The chart as a file: installed from it, it names the images by tag or digest. */
const helm = `${tools}helm`;
const chart = join(scratch, 'sluice');
cpSync(join(root, 'deploy/helm/sluice'), chart, { recursive: true });
cpSync(join(root, 'LICENSE'), join(chart, 'LICENSE'));
const file = join(chart, 'values.yaml');
const address = 'ghcr.io/example/sluice';
const values = readFileSync(file, 'utf8').replace(/^ {2}repository: sluice$/m, `  repository: ${address}`);
assert.ok(values.includes(address), 'the workflow replaces the repository in this line of values.yaml');
writeFileSync(file, values);
run(helm, ['package', chart, '--version', version, '--app-version', version, '--destination', target]);
const packed = join(target, `sluice-${version}.tgz`);
const names = run('tar', ['tzf', packed]).trim().split('\n');
for (const name of ['Chart.yaml', 'values.schema.json', 'LICENSE', 'files/alerts.yml', 'files/dashboard.json'])
  assert.ok(names.includes(`sluice/${name}`), `the chart has no ${name}`);
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const apps = ['gateway', 'tracking', 'catalog', 'push-interaction', 'operator', 'console'];
const pins = apps.map((app) => `image.tags.${app}=${version}@${digest}`).join(',');
const template = ['template', 'sluice', packed, '--kube-version', '1.33.0', '--values', 'deploy/check/minimal.yaml'];
const imagesIn = (text) => [...text.matchAll(/image: (\S+)/g)].map(([, image]) => image);
const tagged = imagesIn(run(helm, template));
assert.ok(tagged.length > 5 && tagged.every((image) => image.startsWith(address) && image.endsWith(`:${version}`)));
const pinned = run(helm, [...template, '--set', pins]);
assert.ok(
  imagesIn(pinned).every((image) => image.endsWith(`:${version}@${digest}`)),
  'every image is pinned, wait-for too',
);
for (const [, label] of pinned.matchAll(/app\.kubernetes\.io\/version: (\S+)/g))
  assert.match(label.replaceAll('"', ''), /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'a label of Kubernetes');
console.log(`ok  ${basename(packed)}: ${names.length} files, ${Math.round(statSync(packed).size / 1024)} KB`);

/** 4. Files of the SDKs: those of npm installed into an empty folder and imported, the others looked into. */
const { names: files, missing } = makeReleaseFiles(target);
notDone.push(...missing);
const tarballs = files.filter((name) => name.endsWith('.tgz'));
assert.equal(tarballs.length, 3);
for (const tarball of tarballs) {
  const parts = run('tar', ['tzf', join(target, tarball)])
    .trim()
    .split('\n');
  assert.ok(
    parts.includes('package/LICENSE') && parts.includes('package/README.md'),
    `${tarball}: LICENSE and README.md`,
  );
  assert.deepEqual(
    parts.filter((name) => /\.spec\.|\.tsbuildinfo$|node_modules/.test(name)),
    [],
    tarball,
  );
}
const user = join(scratch, 'user');
mkdirSync(user);
writeFileSync(join(user, 'package.json'), '{"type":"module","private":true}');
const node = tarballs.find((tarball) => tarball.includes('node'));
assert.ok(node, 'no tarball of @sluice/node');
run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', join(target, node)], { cwd: user });
const exported = run(
  process.execPath,
  ['-e', "import('@sluice/node').then((all) => console.log(Object.keys(all).length))"],
  { cwd: user },
);
assert.ok(Number(exported) > 0);
for (const [ending, part] of [
  ['-maven.zip', `sluice-maven/tech/sluice/sluice-android/${version}/sluice-android-${version}.pom`],
  [`ios-${version}.zip`, 'sluice-ios/Package.swift'],
]) {
  const archive = files.find((name) => name.endsWith(ending));
  if (archive !== undefined)
    assert.ok(run('jar', ['--list', '--file', join(target, archive)]).includes(part), `${archive} has no ${part}`);
}
console.log(`ok  ${files.join(', ')}; @sluice/node is installed and imported`);

/** 5. Archives of the images. */
const engine = ['podman', 'docker'].find((program) => has(program));
const tag = process.env.IMAGES_TAG;
if (!engine || !tag) notDone.push('image archives: IMAGES_TAG is not set, or there is no container engine');
else
  for (const app of apps) {
    const archive = join(target, `${app}.tar`);
    run(engine, ['save', '--output', archive, `sluice/${app}:${tag}`]);
    const parts = run('tar', ['tf', archive]).split('\n');
    assert.ok(parts.includes('manifest.json'), `${archive} is not an archive of an image`);
    console.log(`ok  ${app}.tar: ${Math.round(statSync(archive).size / 1e6)} MB`);
  }

rmSync(scratch, { recursive: true, force: true });
for (const one of notDone) console.log(`--  not done: ${one}`);
