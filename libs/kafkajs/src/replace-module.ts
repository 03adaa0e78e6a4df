// Puts the replacements in the place of modules of kafkajs/src.
import { type createRequire } from 'node:module';

/**
 * Puts something else in the place of what a module of kafkajs exports.
 * @param path of the module, as `require` takes it
 * @throws when the module was loaded before: who loaded it goes on with kafkajs' own
 */
export function replaceModule<Exports>(
  require: ReturnType<typeof createRequire>,
  path: string,
  replacement: (original: Exports) => Exports,
): void {
  const resolved = require.resolve(path);
  if (resolved in require.cache) throw new Error(`${path} was loaded before it was replaced`);
  const original = require(path) as Exports;
  const module = require.cache[resolved];
  if (!module) throw new Error(`${path} cannot be replaced`);
  module.exports = replacement(original);
}
