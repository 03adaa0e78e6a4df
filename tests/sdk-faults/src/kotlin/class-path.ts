import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Folder of the Kotlin SDK. The path is right from both src and dist, which are equally deep. */
export const kotlinModule = fileURLToPath(new URL('../../../../sdks/kotlin', import.meta.url));
const target = join(kotlinModule, 'core', 'target');

/** Class path of the programs among the tests of the Kotlin core. Builds the jars unless newer than the sources. */
export async function kotlinClassPath(): Promise<string> {
  const builtJars = await jars();
  const built = builtJars.length === 0 ? 0 : Math.min(...(await Promise.all(builtJars.map(changeTime))));
  if (built < (await newest(join(kotlinModule, 'core', 'src')))) {
    await run('mvn', ['-B', '-q', '-f', join(kotlinModule, 'pom.xml'), '-pl', 'core', 'package', '-DskipTests']);
  }
  const libraries = join(target, 'lib');
  return [...(await jars()), ...(await readdir(libraries)).map((name) => join(libraries, name))].join(':');
}

/** The jars of the core and of its tests. */
async function jars(): Promise<string[]> {
  const names = await readdir(target).catch(() => []);
  return names.filter((name) => /^sluice-core-[\d.]+(-tests)?\.jar$/.test(name)).map((name) => join(target, name));
}

const changeTime = async (path: string): Promise<number> => (await stat(path)).mtimeMs;

/** Time of the last change below a folder. */
async function newest(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return Math.max(...(await Promise.all(entries.map((entry) => changeTime(join(entry.parentPath, entry.name))))));
}
