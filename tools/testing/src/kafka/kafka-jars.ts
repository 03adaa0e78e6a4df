import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MissingToolError } from '../missing-tool-error.js';
import { ServerStartError } from '../server/server-start-error.js';

const run = promisify(execFile);

// The paths are right from both src and dist, which are equally deep.
const pom = fileURLToPath(new URL('../../kafka/pom.xml', import.meta.url));
const cache = fileURLToPath(new URL('../../../../.cache', import.meta.url));

async function copyJars(folder: string, signal?: AbortSignal): Promise<void> {
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  try {
    await run('mvn', ['-q', '-B', '-f', pom, ...goal], { signal });
  } catch (error) {
    const { code, stdout } = error as { code?: string | number; stdout?: string };
    if (code === 'ENOENT') {
      throw new MissingToolError(
        'Kafka is fetched with Maven and there is no mvn on the PATH: install it (for example `apt-get install maven`), or set KAFKA_BROKERS to a running Kafka.',
      );
    }
    throw new ServerStartError(`Maven could not fetch Kafka:\n${(stdout ?? String(error)).slice(0, 2_000)}`);
  }
}

/** Age at which a download counts as abandoned; a download takes minutes at most. */
const staleMs = 3_600_000;

/** The folder with Kafka's jars. The first call in a checkout fetches them (45 MB). Safe for concurrent processes. */
export async function kafkaJars(onProgress: (step: string) => void, signal?: AbortSignal): Promise<string> {
  const version = /<kafka\.version>(.+)<\/kafka\.version>/.exec(await readFile(pom, 'utf8'))?.[1] ?? 'unknown';
  const jars = join(cache, `kafka-${version}`);
  if (existsSync(jars)) return jars;

  onProgress(`fetching Kafka ${version} with Maven (once, about 45 MB)`);
  await mkdir(cache, { recursive: true });
  await removeStale();
  const folder = await mkdtemp(`${jars}.`);
  try {
    await copyJars(folder, signal);
    await rename(folder, jars);
  } catch (error) {
    // If the folder exists now, another process has completed it.
    if (!existsSync(jars)) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return jars;
}

/** Removes downloads that killed processes left behind. */
async function removeStale(): Promise<void> {
  for (const name of (await readdir(cache)).filter((fileName) => /^kafka-[\d.]+\.\w{6}$/.test(fileName))) {
    const { mtimeMs } = await stat(join(cache, name)).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > staleMs) await rm(join(cache, name), { recursive: true, force: true });
  }
}
