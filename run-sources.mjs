// Lets Node run the TypeScript sources: `node --import ./run-sources.mjs`. Tests start threads and programs with it, so
// that these run the present sources and not an earlier build (see vitest.config.ts). Node's own type stripping supports
// neither parameter properties nor the metadata of decorators.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const isSource = (url) => url?.startsWith('file:') && url.endsWith('.ts') && !url.includes('/node_modules/');

// Vite's compiler, which vitest uses too: a thread starts forty times as fast as with TypeScript's own.
let compiler;

function compiled(file) {
  const text = readFileSync(file, 'utf8');
  if (/^\s*@\w+\(/m.test(text)) return withDecorators(text, file);
  compiler ??= createRequire(import.meta.resolve('vite'))('rolldown/utils');
  const { code, errors } = compiler.transformSync(file, text, { lang: 'ts', tsconfig: false });
  if (errors.length > 0) throw errors[0];
  return code;
}

/** Compiles with TypeScript, which inlines the helpers of decorators; vite's compiler imports them from a package. */
function withDecorators(text, fileName) {
  const ts = createRequire(import.meta.url)('typescript');
  const { config } = ts.readConfigFile(fileURLToPath(new URL('tsconfig.base.json', import.meta.url)), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');
  const compilerOptions = { ...options, composite: false, declarationMap: false, sourceMap: false };
  // Every package of Sluice is of type `module`.
  return ts.transpileModule(text, { fileName, compilerOptions: { ...compilerOptions, module: ts.ModuleKind.ESNext } })
    .outputText;
}

registerHooks({
  resolve(specifier, context, next) {
    const url = /^(file:|\.{1,2}\/)/.test(specifier) ? new URL(specifier, context.parentURL) : undefined;
    const source = url?.href.replace(/\.js$/, '.ts');
    if (source !== undefined && isSource(source) && existsSync(new URL(source)))
      return { url: source, shortCircuit: true };
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!isSource(url)) return next(url, context);
    return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
  },
});
