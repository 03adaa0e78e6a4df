// Puts one built app, and nothing that it does not need to run, into an empty folder: what an image consists of.
//   node deploy/assemble.mjs gateway /srv/sluice      after `tsc -b apps/gateway`
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

// 1. The app and the libraries of ours that it needs, and what they need.
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

// 2. Their packages at the versions of the lock file. Without the devDependencies: npm leaves out those of a workspace
// only if they are nobody's workspace, and the embedded Kafka and ClickHouse are one of ours.
const withoutDev = ({ devDependencies, ...manifest }) => manifest;
writeJson(join(target, 'package.json'), {
  ...withoutDev(readJson(join(root, 'package.json'))),
  workspaces: [...projects.keys()],
  scripts: {},
});
for (const [project, manifest] of projects) writeJson(join(target, project, 'package.json'), withoutDev(manifest));
for (const file of ['package-lock.json', '.npmrc']) cpSync(join(root, file), join(target, file));
execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: target,
  stdio: 'inherit',
});
for (const file of ['package-lock.json', '.npmrc']) rmSync(join(target, file));

// 3. What was built of them, without tests and types.
const isWanted = (file) => !/\.spec\.|\.d\.ts$|\.map$|\.tsbuildinfo$/.test(file);
for (const project of projects.keys()) {
  cpSync(join(root, project, 'dist'), join(target, project, 'dist'), { recursive: true, filter: isWanted });
}

// 4. Migrations: a consumer reads its own, the operator those of all apps.
for (const one of app === 'operator' ? readdirSync(join(root, 'apps')) : [app]) {
  const migrations = join('apps', one, 'migrations');
  if (existsSync(join(root, migrations))) cpSync(join(root, migrations), join(target, migrations), { recursive: true });
}

// 5. The Web SDK, which the gateway serves as files.
const bundle = join('sdks', 'web', 'dist', 'bundle');
if (app === 'gateway') {
  if (existsSync(join(root, bundle))) cpSync(join(root, bundle), join(target, bundle), { recursive: true });
  else console.error('the Web SDK was not built (npm run build:sdk): the gateway will answer 404 for /sdk/');
}

// 6. What an image starts, and asks.
writeFileSync(join(target, 'main.mjs'), `import './apps/${app}/dist/main.js';\n`);
cpSync(join(root, 'deploy', 'healthcheck.mjs'), join(target, 'healthcheck.mjs'));
