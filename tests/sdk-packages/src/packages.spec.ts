import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { app, nativeApp, shopOutput, shops, tsconfig, webPage } from './programs.js';
import { makeTarballs, Project } from './tarballs.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const sdks = ['web', 'react-native', 'node'] as const;
const folder = mkdtempSync(join(tmpdir(), 'sluice-tarballs-'));
let tarballs: Readonly<Record<string, string>>;
/** A project with all three packages, which are installed from their tarballs without a network. */
let project: Project;

beforeAll(() => {
  tarballs = makeTarballs(folder);
  project = new Project({ type: 'module' });
  project.install(Object.values(tarballs));
  project.link(['express', '@types/express', '@types/node', 'vite']);
});
afterAll(() => {
  for (const folderToRemove of [folder, project.folder]) rmSync(folderToRemove, { recursive: true, force: true });
});

const installed = (sdk: string): string => join(project.folder, 'node_modules/@sluice', sdk);
const readInstalled = (sdk: string, file: string): string => readFileSync(join(installed(sdk), file), 'utf8');

it.each(sdks)('publint and attw find nothing in @sluice/%s', async (sdk) => {
  const { messages } = await publint({ pkgDir: installed(sdk), strict: true, pack: false });
  const manifest = JSON.parse(readInstalled(sdk, 'package.json')) as Record<string, unknown>;
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
  const data = createPackageFromTarballData(readFileSync(tarballs[sdk] ?? ''));
  const analysis = await checkPackage(data);
  if (!analysis.types) throw new Error('no types');
  expect(analysis.problems).toEqual([]);
});

it.each(sdks)('@sluice/%s has a licence, a page, a changelog and no dependency', (sdk) => {
  const manifest = JSON.parse(readInstalled(sdk, 'package.json')) as Record<string, unknown>;
  expect(manifest).toMatchObject({ license: 'Apache-2.0', description: expect.any(String) as string });
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).not.toHaveProperty('scripts');
  expect(readInstalled(sdk, 'LICENSE')).toContain('Apache License');
  expect(readInstalled(sdk, 'README.md')).toMatch(new RegExp(`^# @sluice/${sdk}\n`));
  expect(readInstalled(sdk, 'README.md')).not.toMatch(/\]\((?!https?:|#)/);
  expect(/^## (.*)$/m.exec(readInstalled(sdk, 'CHANGELOG.md'))?.[1]).toBe(manifest['version']);
});

it.each(sdks)('each script of @sluice/%s has a source map with its sources', (sdk) => {
  const files = readdirSync(installed(sdk), { recursive: true, encoding: 'utf8' });
  const scripts = files.filter((file) => file.endsWith('.js'));
  expect(scripts).toContain(join('cjs', 'index.js'));
  // A script without a function only passes exports on.
  for (const script of scripts.filter((script) => /function|=>/.test(readInstalled(sdk, script)))) {
    expect(readInstalled(sdk, script)).toMatch(/\/\/# sourceMappingURL=.*\.js\.map\s*$/);
    const map = JSON.parse(readInstalled(sdk, `${script}.map`)) as { sources: string[]; sourcesContent: string[] };
    expect(map.sourcesContent).toHaveLength(map.sources.length);
    for (const source of map.sources) expect(source).toMatch(/^sluice\/(core|web|node|react-native)\/src\//);
  }
  expect(files.filter((file) => /spec|examples/.test(file))).toEqual([]);
});

it('the release publishes every package that is packed', () => {
  const workflow = readFileSync(new URL('../../../.github/workflows/release.yml', import.meta.url), 'utf8');
  expect(workflow).toContain('npm run -s pack:sdks');
  expect(workflow).toMatch(/npm publish .*--provenance --access public/);
  expect(Object.keys(tarballs).sort()).toEqual([...sdks].sort());
});

it.each([
  { name: 'bundler', module: 'esnext', moduleResolution: 'bundler' },
  { name: 'Node', module: 'nodenext', moduleResolution: 'nodenext' },
])('types hold under strict as a project for a $name resolves them', ({ module, moduleResolution }) => {
  const lib = ['es2022', 'dom'];
  const options = { module, moduleResolution, lib, types: [], skipLibCheck: false };
  project.write({
    'page.ts': webPage,
    'app.ts': app,
    'native-app.ts': nativeApp,
    'tsconfig.json': tsconfig(options, ['page.ts', 'app.ts', 'native-app.ts']),
  });
  expect(project.typeCheck()).toBe('');
});

it('an Express shop runs as ES module and as CommonJS module, typed under strict', () => {
  const options = { module: 'nodenext', types: ['node'], lib: ['es2022', 'dom'], skipLibCheck: true };
  project.write({ ...shops, 'tsconfig.json': tsconfig({ ...options, outDir: 'out' }, Object.keys(shops)) });
  project.compile();
  expect(project.node('out/esm.mjs')).toBe(shopOutput);
  expect(project.node('out/cjs.cjs')).toBe(shopOutput);
});

it('the first example of node.md compiles under strict, runs, and prints what the page says', async () => {
  const page = readFileSync(new URL('../../../docs/sdk/node.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const options = { module: 'nodenext', types: ['node'], skipLibCheck: true, outDir: 'out' };
  project.write({ 'first.mts': example, 'tsconfig.json': tsconfig(options, ['first.mts']) });
  project.compile();
  const service = createServer((request, answer) => {
    request.resume().on('end', () => answer.end('{"status":"QUEUED"}'));
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  const env = { SLUICE_HOST: `http://127.0.0.1:${port}`, SLUICE_SOURCE: 'Source000001', SLUICE_API_KEY: 'key' };
  const { stdout } = await promisify(execFile)(process.execPath, ['out/first.mjs'], {
    cwd: project.folder,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  service.close();
  expect(stdout).toBe('{ sent: 1, left: 0 }\n');
  expect(page).toContain('`{ sent: 1, left: 0 }`');
});

it('Vite builds a page, and a server that renders it can import the package', () => {
  project.write({
    'src/page.ts': webPage,
    'index.html': '<script type="module" src="/src/page.ts"></script>',
    'server.mjs': `import { createClient } from '@sluice/web';
      import { createRequire } from 'node:module';
      const { push } = createRequire(import.meta.url)('@sluice/web/push');
      console.log(typeof createClient, typeof push);`,
  });
  expect(project.node('node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn')).toBe('');
  const built = readdirSync(join(project.folder, 'dist/assets'));
  expect(built).toEqual([expect.stringMatching(/\.js$/)]);
  expect(project.node('server.mjs')).toBe('function function\n');
});

it('the recipes for plugins compile under strict with every package, and do what the page says', () => {
  const page = readFileSync(new URL('../../../docs/sdk/recipes.md', import.meta.url), 'utf8');
  const recipe = (file: string): string =>
    new RegExp(`\`\`\`ts\\n// ${file}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
  const files: Record<string, string> = { 'sluice.mts': recipe('sluice.ts') };
  for (const sdk of ['web', 'node', 'react-native/without-native']) {
    const folder = sdk.replace('/', '-');
    for (const file of ['register', 'rate-guard'])
      files[`${folder}/${file}.mts`] = recipe(`${file}.ts`).replace('@sluice/web', `@sluice/${sdk}`);
  }
  expect(Object.values(files).filter((text) => !text.includes('export'))).toEqual([]);
  const options = { module: 'nodenext', types: ['node'], skipLibCheck: true, outDir: 'out' };
  project.write({
    ...files,
    'tsconfig.json': tsconfig(options, Object.keys(files)),
    'try.mjs': `import { registered, register } from './out/node/register.mjs';
      import { rateGuard } from './out/node/rate-guard.mjs';
      register({ shop: 'berlin', total: 0 });
      console.log(JSON.stringify(registered({ type: 'track', event: 'sold', properties: { total: 1 } }).properties));
      const guard = rateGuard(2);
      const sent = ['a', 'a', 'a', 'b'].map((event) => guard({ type: 'track', event })?.event ?? 'left out');
      console.log(sent.join());`,
  });
  project.compile();
  expect(project.node('try.mjs')).toBe('{"shop":"berlin","total":1}\na,a,left out,b\n');
});

it('React Native can be left out, and CommonJS gets its parts', () => {
  project.write({
    'tests.cjs': `const { createClientOn, testStorage } = require('@sluice/react-native/without-native');
      console.log(typeof createClientOn, typeof testStorage);`,
  });
  expect(project.node('tests.cjs')).toBe('function function\n');
});
