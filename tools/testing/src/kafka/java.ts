import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MissingToolError } from '../missing-tool-error.js';

const run = promisify(execFile);

/** The major version in the output of `java -version`; undefined if it has none. */
export function javaMajorVersion(output: string): number | undefined {
  const major = /version "(?:1\.)?(\d+)/.exec(output)?.[1];
  return major === undefined ? undefined : Number(major);
}

async function installedJava(): Promise<number | undefined> {
  try {
    const { stdout, stderr } = await run('java', ['-version']);
    return javaMajorVersion(stdout + stderr);
  } catch {
    return undefined;
  }
}

/** Checks for Java 17 or later, which Kafka 4 needs. @throws MissingToolError */
export async function requireJava(): Promise<void> {
  const major = await installedJava();
  if (major !== undefined && major >= 17) return;
  const presentJava = major === undefined ? 'there is no java on the PATH' : `the java on the PATH is version ${major}`;
  throw new MissingToolError(
    `Kafka needs Java 17 or later and ${presentJava}: install it (for example \`apt-get install openjdk-17-jre-headless\`), or set KAFKA_BROKERS to a running Kafka.`,
  );
}
