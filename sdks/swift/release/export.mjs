// Exports the iOS SDK as a git repository that SwiftPM resolves by URL: Package.swift in the root, one tag a version.
//   node sdks/swift/release/export.mjs FOLDER [VERSION]
// FOLDER is a clone of the published repository, or becomes a new one. Its files are replaced, committed and tagged; pushing
// is left to the caller (.github/workflows/release.yml).
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const swift = dirname(here);
const root = resolve(swift, '../..');

/** Version that the code itself reports. */
function versionOfSources() {
  const source = readFileSync(join(swift, 'Sources/SluiceSDK/Sluice.swift'), 'utf8');
  return /static let version = "([^"]+)"/.exec(source)?.[1];
}

function exportTo(folder, version) {
  if (version !== versionOfSources()) throw new Error(`The sources are version ${versionOfSources()}, not ${version}`);
  const owner = process.env.GITHUB_REPOSITORY_OWNER ?? 'OWNER';
  const fill = (text) => text.replaceAll('VERSION', version).replaceAll('OWNER', owner);
  const git = (...args) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();

  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, '.git'))) git('init', '--quiet', '--initial-branch=main');
  // A tag names one content for ever: SwiftPM records its commit.
  if (git('tag', '--list', version) !== '') throw new Error(`Version ${version} is published already`);
  git('rm', '-r', '--quiet', '--ignore-unmatch', '.');
  cpSync(join(swift, 'Sources'), join(folder, 'Sources'), { recursive: true });
  cpSync(join(here, 'Package.swift'), join(folder, 'Package.swift'));
  cpSync(join(here, 'xcframework.sh'), join(folder, 'xcframework.sh'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  if (existsSync(join(root, 'CHANGELOG.md'))) cpSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
  writeFileSync(join(folder, 'README.md'), fill(readFileSync(join(here, 'README.md'), 'utf8')));
  // Links of the guide lead to pages of the service, which this repository lacks.
  const guide = readFileSync(join(root, 'docs/sdk/ios.md'), 'utf8');
  writeFileSync(join(folder, 'GUIDE.md'), guide.replaceAll(/\[([^\]]+)\]\((?!http|#)[^)]+\)/g, '$1'));
  writeFileSync(join(folder, '.gitignore'), '.build/\n.swiftpm/\n');
  git('add', '--all');
  const author = ['-c', 'user.name=Sluice releases', '-c', 'user.email=releases@sluice.invalid'];
  git(...author, 'commit', '--quiet', '--message', `Sluice for iOS ${version}`);
  git(...author, 'tag', '--annotate', version, '--message', `Sluice for iOS ${version}`);
}

const [folder, version = versionOfSources()] = process.argv.slice(2);
if (folder === undefined) throw new Error('export.mjs FOLDER [VERSION]');
exportTo(resolve(folder), version);
console.log(`Sluice for iOS ${version} is in ${folder}`);
