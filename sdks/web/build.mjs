// Makes the files that pages load: dist/bundle/<name>.<hash>.js, with .gz and .br next to them, and manifest.json.
// Does nothing if the sources, this script and the tools have not changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const target = at('dist/bundle/');
/** Renamed to `target` when it is complete, because others may load or make bundles at the same time. */
const draft = at(`dist/bundle-${process.pid}/`);

const bundles = {
  'sluice.js': { entry: 'sluice.ts', format: 'iife' },
  'sluice-module.js': { entry: '../index.ts', format: 'es' },
  'sluice-push.js': { entry: 'push.ts', format: 'iife' },
  'sluice-worker.js': { entry: 'worker.ts', format: 'iife' },
  'sluice-ads.js': { entry: 'ads.ts', format: 'iife' },
  'sluice-plugins.js': { entry: 'plugins.ts', format: 'iife' },
};

const textOf = (path) => readFileSync(path, 'utf8');
const digest = (algorithm, text) => createHash(algorithm).update(text);

const { version: rolldownVersion } = createRequire(import.meta.url)('rolldown/package.json');

function fingerprint() {
  const sources = ['src/', '../core/src/'].flatMap((folder) =>
    readdirSync(at(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .sort()
      .map((name) => name + textOf(at(folder + name))),
  );
  return digest('sha256', [...sources, textOf(at('build.mjs'))].join())
    .update([version, process.versions.zlib, rolldownVersion].join())
    .digest('hex');
}

/** Members that get short names. None is of a browser, is stored, or is known to another bundle or to the page. */
const shortened =
  /^(adoptAll|beginAgain|canSend|cancelTimer|countLost|dueTime|forgetStored|giveUp|isPauseRequested|isCleared|isCurrent|isIdle|isInFlight|isFromService|isOnlyCopy|isPacking|isReady|isSpare|isStored|isTail|markCleared|notBefore|pauseUntil|pausesBefore|reporter|sealAll|sendAll|storageFailed|storageWorks|storing|triedAt|unsave|unsaved|wasLost)$/;

async function codeOf({ entry, format, define = {} }) {
  const bundle = await rolldown({
    input: at(`src/bundle/${entry}`),
    resolve: { conditionNames: ['@sluice/source', 'import'] },
    // Chrome 94, Firefox 93 and Safari 15.4 know what the sources use of ES2022. Private names (`#name`) are shortened.
    transform: { target: 'es2022', define },
    // No getter of the sources has side effects.
    treeshake: { propertyReadSideEffects: false },
    optimization: { inlineConst: { mode: 'all', pass: 3 } },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format,
    minify: { compress: true, mangle: true, codegen: true, mangleProps: { include: shortened } },
    comments: false,
  });
  await bundle.close();
  return output[0].code;
}

function write(name, code) {
  const hash = digest('sha256', code).digest('hex').slice(0, 16);
  const file = name.replace(/\.js$/, `.${hash}.js`);
  const gzip = gzipSync(code, { level: 9 });
  writeFileSync(draft + file, code);
  writeFileSync(`${draft}${file}.gz`, gzip);
  writeFileSync(`${draft}${file}.br`, brotliCompressSync(code));
  const integrity = `sha384-${digest('sha384', code).digest('base64')}`;
  return { file, integrity, bytes: Buffer.byteLength(code), gzip: gzip.length };
}

const mark = fingerprint();
const isCurrent = () =>
  existsSync(`${target}manifest.json`) && existsSync(target + '.inputs') && textOf(target + '.inputs') === mark;
if (!isCurrent()) {
  mkdirSync(draft, { recursive: true });
  const files = {};
  for (const [name, bundle] of Object.entries(bundles)) files[name] = write(name, await codeOf(bundle));
  // The snippet that is a file knows the name and the integrity hash of the bundle that it loads. The inline one stays
  // in pages for years, and loads the latest release of its major version.
  const { file, integrity } = files['sluice.js'];
  const snippets = { 'snippet.js': [file, integrity], 'snippet-inline.js': ['', ''] };
  for (const [name, [bundle, hash]] of Object.entries(snippets)) {
    const values = { BUNDLE: bundle, INTEGRITY: hash, MAJOR: version.split('.')[0] };
    const define = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
    const code = (await codeOf({ entry: 'snippet.ts', format: 'iife', define })).trim();
    // The hash for `script-src`, of exactly this text between the tags.
    const csp = `sha256-${digest('sha256', code).digest('base64')}`;
    files[name] = { ...write(name, code), ...(name === 'snippet-inline.js' && { csp }) };
  }
  writeFileSync(`${draft}manifest.json`, JSON.stringify({ version, files }, null, 2) + '\n');
  writeFileSync(draft + '.inputs', mark);
  // Another process may have made the same already.
  if (!isCurrent()) {
    rmSync(target, { recursive: true, force: true });
    renameSync(draft, target);
  }
  rmSync(draft, { recursive: true, force: true });
}
