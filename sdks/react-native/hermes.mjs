// Builds programs for Hermes from the sources: one file, without modules of Node, and in an older JavaScript for the
// Hermes that runs on this machine (docs/decisions/0047-hermes.md).
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import ts from 'typescript';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Stubs of the Node modules that the runner of the vectors imports. The SDK imports none of them. */
const stubs = {
  'node:assert': () => readFileSync(at('src/hermes/assert.js'), 'utf8'),
  'node:crypto': () => `export const randomUUID = () => '';
  export const createHash = () => {
    let all = '';
    const hash = { update(text) { all += text; return hash; }, digest: () => all };
    return hash;
  };`,
  'node:timers/promises': () =>
    'export const setImmediate = () => new Promise((resolve) => globalThis.setTimeout(resolve, 0));',
  'node:fs': () => {
    const folder = at('../contract/vectors/');
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    const texts = Object.fromEntries(names.map((name) => [name, readFileSync(folder + name, 'utf8')]));
    return `const texts = ${JSON.stringify(texts)};
    export const rmSync = () => undefined;
    export const readdirSync = () => Object.keys(texts);
    export const readFileSync = ({ path }) => texts[path];`;
  },
};

/** Bundles the entry and all its imports into one script. Of the modules of Node only the stubs are available. */
export async function bundleOf(entry) {
  const bundle = await rolldown({
    input: entry,
    resolve: { conditionNames: ['@sluice/source', 'import'] },
    transform: { target: 'es2020', define: { 'import.meta.url': '""' } },
    logLevel: 'warn',
    plugins: [
      {
        name: 'without-node',
        resolveId: (id) => (id in stubs ? `\0${id}` : null),
        load: (id) => (id.startsWith('\0node:') ? stubs[id.slice(1)]() : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'program', comments: false });
  await bundle.close();
  return output[0].code;
}

/** Lowers a script to the language that Hermes 0.12 reads, as React Native's Babel preset does in an app. */
export function lowered(code) {
  const { ES5 } = ts.ScriptTarget;
  return ts.transpileModule(code, {
    compilerOptions: { target: ES5, downlevelIteration: true, module: ts.ModuleKind.None, ignoreDeprecations: '6.0' },
  }).outputText;
}
