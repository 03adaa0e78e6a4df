import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readdir } from 'node:fs/promises';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../../../deploy/assemble.mjs', import.meta.url));
/** Root switches to the image's user. Any other user is kept: no user but root can switch. */
const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};

export type Environment = Readonly<Record<string, string>>;

/** An app in its own folder, assembled and run as in its image. */
export class Assembled {
  private constructor(private readonly folder: string) {}

  static async make(app: string, folder: string): Promise<Assembled> {
    await run(process.execPath, [program, app, folder], { maxBuffer: 16 * 1024 * 1024 });
    return new Assembled(folder);
  }

  /** Names of the installed packages, including scopes. */
  async packages(): Promise<string[]> {
    const modules = join(this.folder, 'node_modules');
    const names = await readdir(modules);
    const scoped = names.filter((name) => name.startsWith('@'));
    const inScopes = await Promise.all(
      scoped.map(async (scope) => (await readdir(join(modules, scope))).map((name) => `${scope}/${name}`)),
    );
    return [...names.filter((name) => !name.startsWith('@')), ...inScopes.flat()];
  }

  /** Files of our apps and libraries, without those of packages. */
  async files(): Promise<string[]> {
    const folders = ['apps', 'libs'].map(async (folder) =>
      (await readdir(join(this.folder, folder), { recursive: true })).map((file) => join(folder, file)),
    );
    // A package that an app needs in another version lies in the folder of the app.
    return (await Promise.all(folders)).flat().filter((file) => !file.includes('/node_modules/'));
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  async runToEnd(environment: Environment, ...args: string[]): Promise<string> {
    const { stdout } = await run(process.execPath, ['main.mjs', ...args], this.options(environment));
    return stdout;
  }

  start(environment: Environment): ChildProcess {
    return spawn(process.execPath, ['main.mjs'], { ...this.options(environment), stdio: 'ignore' });
  }

  /** Runs the program of the image's HEALTHCHECK. */
  async isHealthy(environment: Environment): Promise<boolean> {
    try {
      await run(process.execPath, ['healthcheck.mjs'], this.options(environment));
      return true;
    } catch {
      return false;
    }
  }

  private options(environment: Environment) {
    return { cwd: this.folder, env: { NODE_ENV: 'production', ...environment }, ...user };
  }
}

/** Sends SIGTERM like a container engine and returns the exit code. */
export async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
