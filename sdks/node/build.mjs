// Makes dist/package, the folder that is published: the library and the command as one file each, with the core in them,
// their types, and a package.json without dependencies. `tsc -b` must have run.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { name, version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const target = at('dist/package/');

async function bundle(entry, file) {
  const made = await rolldown({
    input: at(`src/${entry}`),
    platform: 'node',
    resolve: { conditionNames: ['@sluice/source', 'import'] },
    transform: { target: 'node20' },
    external: /^node:/,
    logLevel: 'warn',
  });
  await made.write({ file: target + file, format: 'es', comments: false });
  await made.close();
}

/** Copies declarations; those of the core lie beside those of the library. */
function types(from, to, core) {
  mkdirSync(target + to, { recursive: true });
  for (const file of readdirSync(at(from)).filter((one) => one.endsWith('.d.ts') && !one.includes('.spec'))) {
    const text = readFileSync(at(from + file), 'utf8').replace(/\/\/# sourceMappingURL=.*\n?/, '');
    writeFileSync(`${target}${to}${file}`, text.replaceAll("'@sluice/sdk-core'", `'${core}'`));
  }
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await bundle('index.ts', 'index.js');
await bundle('import/main.ts', 'sluice.js');
chmodSync(target + 'sluice.js', 0o755);
types('dist/', 'types/', './core/index.js');
types('dist/store/', 'types/store/', '../core/index.js');
types('../core/dist/', 'types/core/', '');
copyFileSync(at('README.md'), target + 'README.md');
const manifest = {
  ...{ name, version, type: 'module', sideEffects: false, engines: { node: '>=20' } },
  exports: { '.': { types: './types/index.d.ts', default: './index.js' } },
  bin: { sluice: './sluice.js' },
};
writeFileSync(target + 'package.json', JSON.stringify(manifest, null, 2) + '\n');
