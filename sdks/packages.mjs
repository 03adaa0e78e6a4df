// Makes the folders that npm publishes: @sluice/web, @sluice/node and @sluice/react-native, each with the core inside,
// as ES modules, as CommonJS, with types and source maps (docs/decisions/0063-npm-packages.md). `tsc -b` must have run.
//   node sdks/packages.mjs                  dist/package of each SDK
//   node sdks/packages.mjs --folders DIR    DIR/web, DIR/node, DIR/react-native
//   node sdks/packages.mjs --tarballs DIR   the same, and the tarballs, as `npm pack` makes them, in DIR
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../', import.meta.url));
const sdks = join(root, 'sdks');
const core = '@sluice/sdk-core';
const textOf = (file) => readFileSync(file, 'utf8');

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Language of the published code by SDK. React Native's Babel lowers it further. */
export const published = { web: 'es2022', node: 'node20', 'react-native': 'es2022' };

/** Makes the package of an SDK in a folder. */
export async function makePackage(sdk, target = join(sdks, sdk, 'dist/package')) {
  const manifest = JSON.parse(textOf(join(sdks, sdk, 'package.json')));
  const entries = Object.entries(manifest.exports).map(([name, to]) => [
    name === '.' ? 'index' : name.slice(2),
    to['@sluice/source'].slice('./src/'.length).replace(/\.ts$/, ''),
  ]);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const formats = { es: target, cjs: join(target, 'cjs') };
  for (const [format, folder] of Object.entries(formats)) {
    await writeCode({ sdk, manifest, format, folder, entries });
    for (const [name, source] of entries) {
      write(join(folder, `${name}.d.ts`), `export * from './types/${source}.js';\n`);
      copyTypes(sdk, `${source}.d.ts`, folder);
    }
  }
  write(join(target, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  for (const [name, built] of Object.entries(manifest.bin ?? {})) {
    const source = built.slice('./dist/'.length).replace(/\.js$/, '');
    await writeCode({ sdk, manifest, format: 'es', folder: target, entries: [[name, source]] });
    chmodSync(join(target, `${name}.js`), 0o755);
  }
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  write(join(target, 'README.md'), readme(sdk, manifest));
  write(join(target, 'CHANGELOG.md'), changelog(sdk, manifest));
  write(join(target, 'package.json'), `${JSON.stringify(publishedManifest(manifest, entries), null, 2)}\n`);
  return target;
}

async function writeCode({ sdk, manifest, format, folder, entries }) {
  const peers = Object.keys(manifest.peerDependencies ?? {});
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(([name, source]) => [name, join(sdks, sdk, 'src', `${source}.ts`)])),
    ...(sdk === 'node' && { platform: 'node' }),
    resolve: { conditionNames: ['@sluice/source', 'import'] },
    transform: { target: published[sdk] },
    external: [/^node:/, ...peers],
    logLevel: 'warn',
  });
  await bundle.write({
    dir: folder,
    format,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    sourcemapPathTransform: (source, map) => `sluice/${relative(sdks, resolve(dirname(map), source))}`,
    comments: { annotation: true, jsdoc: false, legal: false },
  });
  await bundle.close();
}

/** Copies a declaration of an SDK and those that it imports. Those of the core lie in `types/core`. */
function copyTypes(sdk, file, folder) {
  const of = (name) => join(sdks, sdk, 'dist', name);
  const isCore = sdk === 'core';
  const place = join(folder, 'types', isCore ? 'core' : '', file);
  const up = posix.relative(posix.dirname(file), '.') || '.';
  const text = textOf(of(file)).replace(/\/\/# sourceMappingURL=.*\n?/, '');
  write(place, text.replaceAll(`'${core}'`, `'./${posix.join(up, 'core/index.js')}'`.replace("'./..", "'..")));
  if (text.includes(`'${core}'`)) copyTypesOnce('core', 'index.d.ts', folder);
  for (const [, , path] of text.matchAll(/(from |import\()'(\.[^']+)\.js'/g)) {
    copyTypesOnce(sdk, posix.join(posix.dirname(file), `${path}.d.ts`), folder);
  }
}

const copied = new Set();
function copyTypesOnce(sdk, file, folder) {
  const name = `${folder} ${sdk} ${file}`;
  if (copied.has(name)) return;
  copied.add(name);
  copyTypes(sdk, file, folder);
}

/** The address of the repository, which the release knows. */
function repository() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  return server && name ? `${server}/${name}` : undefined;
}

function publishedManifest(manifest, entries) {
  const { name, version, description, license, keywords, engines, peerDependencies, peerDependenciesMeta } = manifest;
  const url = repository();
  const modules = entries.map(([entry]) => [
    entry === 'index' ? '.' : `./${entry}`,
    {
      import: { types: `./${entry}.d.ts`, default: `./${entry}.js` },
      require: { types: `./cjs/${entry}.d.ts`, default: `./cjs/${entry}.js` },
    },
  ]);
  const bins = Object.keys(manifest.bin ?? {}).map((bin) => [bin, `${bin}.js`]);
  return {
    ...{ name, version, description, license, keywords, type: 'module', sideEffects: false, engines },
    ...(url && { repository: { type: 'git', url: `git+${url}.git` }, homepage: `${url}#readme` }),
    // For tools that do not read `exports`: Metro before React Native 0.79, old Jest.
    ...{ main: './cjs/index.js', module: './index.js', types: './index.d.ts' },
    exports: { ...Object.fromEntries(modules), './package.json': './package.json' },
    ...(bins.length > 0 && { bin: Object.fromEntries(bins) }),
    ...{ peerDependencies, peerDependenciesMeta },
  };
}

/** The page of the SDK. Its links lead to the release in the repository, or are text where that is not known. */
function readme(sdk, { name, version }) {
  const url = repository();
  const page = `docs/sdk/${sdk}.md`;
  const text = textOf(join(root, page)).replace(/^# .*\n/, `# ${name}\n`);
  return text.replace(/(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g, (_, label, to) => {
    const place = posix.join(posix.dirname(page), to);
    return url ? `[${label}](${url}/blob/v${version}/${place})` : label;
  });
}

/** The changelog, whose first heading may be `next`. */
function changelog(sdk, { version }) {
  return textOf(join(sdks, sdk, 'CHANGELOG.md')).replace(/^## next$/m, `## ${version}`);
}

/** Returns the path of the tarball. */
export function pack(folder, target) {
  mkdirSync(target, { recursive: true });
  const args = ['pack', folder, '--pack-destination', target, '--json', '--loglevel', 'error'];
  const [{ filename }] = Object.values(JSON.parse(execFileSync('npm', args, { encoding: 'utf8' })));
  return join(target, filename);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, target] = process.argv.slice(2);
  for (const sdk of Object.keys(published)) {
    const folder = await makePackage(sdk, option && join(target, sdk));
    console.log(option === '--tarballs' ? pack(folder, target) : folder);
  }
}
