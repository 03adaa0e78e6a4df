import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Makes the tarballs of all SDKs as the release does, and returns their paths by SDK. */
export function makeTarballs(folder: string): Readonly<Record<string, string>> {
  execFileSync(process.execPath, [join(root, 'sdks/packages.mjs'), '--tarballs', folder], { stdio: 'pipe' });
  return findFiles(folder);
}

/** Paths of the files of a release in a folder: the tarballs by SDK, and the archives `android-maven` and `ios`. */
export function findFiles(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => /\.(tgz|zip)$/.test(name));
  const sdkName = (name: string): string => {
    const [, sdk = name, part = ''] = /^sluice-(.*?)-\d+\.\d+\.\d+.*?(-maven)?\.(?:tgz|zip)$/.exec(name) ?? [];
    return sdk + part;
  };
  return Object.fromEntries(names.map((name) => [sdkName(name), join(folder, name)]));
}

/** Files of a project by path. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** An empty project of a customer in a folder of its own, outside of this workspace. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-project-'));

  constructor(manifest: object, files: ProjectFiles = {}) {
    this.write({ 'package.json': JSON.stringify({ name: 'shop', private: true, ...manifest }), ...files });
  }

  write(files: ProjectFiles): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  /** Installs packages as a customer does. Offline, it fails if a tarball needs anything else. */
  install(packages: readonly string[], options: readonly string[] = ['--offline']): void {
    this.run('npm', ['install', ...packages, ...options, '--no-audit', '--no-fund', '--loglevel', 'error']);
  }

  /** Makes packages of this workspace available to the project, instead of downloading them. */
  link(names: readonly string[]): void {
    for (const name of names) {
      const linkPath = join(this.folder, 'node_modules', name);
      mkdirSync(dirname(linkPath), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), linkPath);
    }
  }

  node(...args: readonly string[]): string {
    return this.run(process.execPath, args);
  }

  /** Type-checks the project's files as its own compiler options say. */
  typeCheck(): string {
    return this.compile('--noEmit');
  }

  compile(...args: readonly string[]): string {
    return this.node(join(root, 'node_modules/native-typescript/bin/tsc'), ...args);
  }

  /** Output of a program. @throws Error with all that it wrote, if it fails. */
  run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
    try {
      const environment = { ...process.env, NODE_OPTIONS: '', ...env };
      return execFileSync(command, args, { cwd: this.folder, encoding: 'utf8', stdio: 'pipe', env: environment });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
    }
  }
}
