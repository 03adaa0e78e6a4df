import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

interface Lock {
  packages: Record<string, { version?: string }>;
}

/** Runs `npm ci` in a folder that has its own lock file, unless the locked packages are installed. */
export async function installPublished(folder: string): Promise<void> {
  if (await isInstalled(folder)) return;
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = spawn('npm', args, { cwd: folder, stdio: 'inherit' });
  const [code] = (await once(npm, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`npm ci in ${folder} ended with ${code ?? 'a signal'}`);
}

async function isInstalled(folder: string): Promise<boolean> {
  const read = async (path: string): Promise<string> => {
    const text = await readFile(folder + path, 'utf8').catch(() => '{"packages":{}}');
    const versions = Object.entries((JSON.parse(text) as Lock).packages).map(([name, { version }]) => [name, version]);
    return JSON.stringify(versions.filter(([name]) => name !== ''));
  };
  return (await read('package-lock.json')) === (await read('node_modules/.package-lock.json'));
}
