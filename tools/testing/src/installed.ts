import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url));

/** True when a program of this machine can be started. */
export const hasProgram = (program: string, arg = '--version'): boolean =>
  spawnSync(program, [arg], { stdio: 'ignore' }).status === 0;

/** Installs something once, by its name and version. Returns its folder in the cache of the checkout. */
export function installOnce(name: string, install: (folder: string) => void): string {
  const folder = join(cache, name);
  if (existsSync(join(folder, 'installed'))) return folder;
  mkdirSync(folder, { recursive: true });
  install(folder);
  writeFileSync(join(folder, 'installed'), '');
  return folder;
}

/** Runs a program to its end. Returns what it wrote. @throws Error with what it wrote when it fails. */
export function runProgram(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
  return stdout + stderr;
}

/** Installs packages of npm, named with their versions. Returns the folder. */
export const fromNpm = (name: string, packages: readonly string[]): string =>
  installOnce(name, (folder) => {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    runProgram('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], folder);
  });

/** Installs packages of PyPI, named with their versions, in a virtual environment. Returns the folder of its programs. */
export const fromPyPi = (name: string, packages: readonly string[]): string =>
  join(
    installOnce(name, (folder) => {
      runProgram('python3', ['-m', 'venv', folder], folder);
      runProgram(join(folder, 'bin', 'pip'), ['install', '--quiet', ...packages], folder);
    }),
    'bin',
  );

/** Downloads an artifact of Maven Central with all that it depends on. Returns a class path. */
export const fromMaven = (name: string, artifacts: readonly string[]): string =>
  join(
    installOnce(name, (folder) => {
      const dependencies = artifacts.map((artifact) => {
        const [groupId, artifactId, version] = artifact.split(':');
        return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`;
      });
      const project = `<modelVersion>4.0.0</modelVersion><groupId>client</groupId><artifactId>client</artifactId><version>1</version>`;
      const pom = `<project>${project}<dependencies>${dependencies.join('')}</dependencies></project>`;
      writeFileSync(join(folder, 'pom.xml'), pom);
      runProgram('mvn', ['-B', '-ntp', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=jars'], folder);
    }),
    'jars',
    '*',
  );
