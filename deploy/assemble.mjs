// Puts one built app, with only what it needs to run, into an empty folder: the content of its image.
//   node deploy/assemble.mjs gateway /srv/sluice      after `tsc -b apps/gateway`
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isShipped } from './shipped.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [app = '', target = ''] = process.argv.slice(2);
if (
  !existsSync(join(root, 'apps', app, 'dist', 'main.js')) ||
  target === '' ||
  existsSync(join(target, 'package.json'))
) {
  console.error('usage: node deploy/assemble.mjs APP EMPTY_FOLDER, after the app was built');
  process.exit(2);
}
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, value) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
};

// 1. Collect the app and all our libraries that it needs, directly or indirectly.
const projects = new Map();
const add = (project) => {
  if (projects.has(project)) return;
  const manifest = readJson(join(root, project, 'package.json'));
  projects.set(project, manifest);
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (name.startsWith('@sluice/')) add(`libs/${name.slice('@sluice/'.length)}`);
  }
};
add(`apps/${app}`);

// 2. Install their packages at the versions of the lock file. Remove devDependencies from the manifests: npm would
// still install those that are workspaces, such as @sluice/testing with the embedded Kafka and ClickHouse.
const withoutDev = (manifest) => ({ ...manifest, devDependencies: undefined });
writeJson(join(target, 'package.json'), {
  ...withoutDev(readJson(join(root, 'package.json'))),
  workspaces: [...projects.keys()],
  scripts: {},
});
for (const [project, manifest] of projects) writeJson(join(target, project, 'package.json'), withoutDev(manifest));
for (const file of ['package-lock.json', '.npmrc']) cpSync(join(root, file), join(target, file));
// BuildKit sets TARGETARCH to the image's processor, which may differ from this machine's.
const { TARGETARCH: processor = process.arch } = process.env;
const cpu = processor === 'amd64' ? 'x64' : processor;
execFileSync('npm', ['ci', `--cpu=${cpu}`, '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: target,
  stdio: 'inherit',
});
for (const file of ['package-lock.json', '.npmrc']) rmSync(join(target, file));

// 3. Copy the build results without tests and types.
for (const project of projects.keys()) {
  cpSync(join(root, project, 'dist'), join(target, project, 'dist'), { recursive: true, filter: isShipped });
}

// 4. Copy migrations: a consumer reads its own; the operator and the console, which shows what is pending, those of all.
for (const one of ['operator', 'console'].includes(app) ? readdirSync(join(root, 'apps')) : [app]) {
  const migrations = join('apps', one, 'migrations');
  if (existsSync(join(root, migrations))) cpSync(join(root, migrations), join(target, migrations), { recursive: true });
}

// 5. Copy the Web SDK, which the gateway serves as files.
const bundle = join('sdks', 'web', 'dist', 'bundle');
if (app === 'gateway') {
  if (existsSync(join(root, bundle))) cpSync(join(root, bundle), join(target, bundle), { recursive: true });
  else console.error('the Web SDK was not built (npm run build:sdk): the gateway will answer 404 for /sdk/');
}

// 6. Copy the pages, which the console serves as files.
const site = join('apps', 'console-web', 'dist', 'site');
if (app === 'console') {
  if (existsSync(join(root, site))) cpSync(join(root, site), join(target, site), { recursive: true });
  else console.error('the pages were not built (npm run build:console): the console will serve its API alone');
}

// 7. Write the program that the image starts and its health check.
writeFileSync(join(target, 'main.mjs'), `import './apps/${app}/dist/main.js';\n`);
cpSync(join(root, 'deploy', 'healthcheck.mjs'), join(target, 'healthcheck.mjs'));
