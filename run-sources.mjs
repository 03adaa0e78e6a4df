// Lets Node run the TypeScript sources: `node --import ./run-sources.mjs`. Tests start threads and programs with it, so that
// these run what the test reads, not an earlier build (see vitest.config.ts). Node's own type stripping knows neither
// parameter properties nor the metadata of decorators.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const isSource = (url) => url?.startsWith('file:') && url.endsWith('.ts') && !url.includes('/node_modules/');

let compile;
function compiled(file) {
  // The compiler takes half a second to load: only for those who need it.
  const ts = require('typescript');
  compile ??= (text, fileName) => {
    const { config } = ts.readConfigFile(
      fileURLToPath(new URL('tsconfig.base.json', import.meta.url)),
      ts.sys.readFile,
    );
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');
    const compilerOptions = {
      ...options,
      composite: false,
      declarationMap: false,
      sourceMap: false,
      inlineSourceMap: true,
    };
    // As a package would say it: each of ours is of type `module`.
    return ts.transpileModule(text, { fileName, compilerOptions: { ...compilerOptions, module: ts.ModuleKind.ESNext } })
      .outputText;
  };
  return compile(readFileSync(file, 'utf8'), file);
}

registerHooks({
  resolve(specifier, context, next) {
    const url = /^(file:|\.{1,2}\/)/.test(specifier) ? new URL(specifier, context.parentURL) : undefined;
    const source = url?.href.replace(/\.js$/, '.ts');
    if (isSource(source) && existsSync(new URL(source))) return { url: source, shortCircuit: true };
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!isSource(url)) return next(url, context);
    return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
  },
});
