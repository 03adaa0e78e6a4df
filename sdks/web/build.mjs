// Makes the files that pages load: dist/bundle/<name>.<hash>.js, with .gz and .br beside them, and manifest.json.
// Does nothing when neither the sources nor this file have changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { mangledNames } from './mangled-names.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const target = at('dist/bundle/');

const bundles = {
  'sluice.js': { entry: 'sluice.ts', format: 'iife' },
  'sluice-module.js': { entry: '../index.ts', format: 'es' },
  'sluice-push.js': { entry: 'push.ts', format: 'iife' },
  'sluice-worker.js': { entry: 'worker.ts', format: 'iife' },
  'sluice-plugins.js': { entry: 'plugins.ts', format: 'iife' },
};

const textOf = (path) => readFileSync(path, 'utf8');
const digest = (algorithm, text) => createHash(algorithm).update(text);

function fingerprint() {
  const sources = ['src/', '../core/src/'].flatMap((folder) =>
    readdirSync(at(folder), { recursive: true })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .sort()
      .map((name) => name + textOf(at(folder + name))),
  );
  return digest('sha256', [...sources, ...['build.mjs', 'mangled-names.mjs'].map((name) => textOf(at(name)))].join())
    .update(version)
    .digest('hex');
}

/** An exact list, since a name of the page or the service must stay. */
const include = new RegExp(`^(${mangledNames.join('|')})$`);
/** One bundle hands objects to another: all have the same short names. */
let cache = {};

async function codeOf({ entry, format, define = {}, isMangled = true }) {
  const bundle = await rolldown({
    input: at(`src/bundle/${entry}`),
    resolve: { conditionNames: ['@sluice/source', 'import'] },
    transform: { target: ['chrome94', 'firefox93', 'safari15.4'], define },
    optimization: { inlineConst: { mode: 'all', pass: 3 } },
    logLevel: 'warn',
  });
  const mangleProps = { mangleProps: { include, cache } };
  const minify = { compress: true, mangle: true, ...(isMangled && mangleProps) };
  const { output, mangleCache = {} } = await bundle.generate({ format, minify, comments: false });
  cache = { ...cache, ...mangleCache };
  await bundle.close();
  return output[0].code;
}

function write(name, code) {
  const hash = digest('sha256', code).digest('hex').slice(0, 16);
  const file = name.replace(/\.js$/, `.${hash}.js`);
  const gzip = gzipSync(code, { level: 9 });
  writeFileSync(target + file, code);
  writeFileSync(`${target}${file}.gz`, gzip);
  writeFileSync(`${target}${file}.br`, brotliCompressSync(code));
  const integrity = `sha384-${digest('sha384', code).digest('base64')}`;
  return { file, integrity, bytes: Buffer.byteLength(code), gzip: gzip.length };
}

const mark = fingerprint();
const isCurrent =
  existsSync(`${target}manifest.json`) && existsSync(target + '.inputs') && textOf(target + '.inputs') === mark;
if (!isCurrent) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const files = {};
  for (const [name, bundle] of Object.entries(bundles)) files[name] = write(name, await codeOf(bundle));
  // Knows the file and the integrity hash of the bundle that it loads.
  const { file, integrity } = files['sluice.js'];
  const define = { BUNDLE: JSON.stringify(file), INTEGRITY: JSON.stringify(integrity) };
  files['snippet.js'] = write(
    'snippet.js',
    await codeOf({ entry: 'snippet.ts', format: 'iife', define, isMangled: false }),
  );
  writeFileSync(`${target}manifest.json`, JSON.stringify({ version, files }, null, 2) + '\n');
  writeFileSync(target + '.inputs', mark);
}
