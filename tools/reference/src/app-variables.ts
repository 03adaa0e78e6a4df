import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Variables } from '@sluice/service';

// Relative paths work from src and from dist, because both folders are equally deep in this tool and in the apps.
const [here, extension] = [fileURLToPath(import.meta.url), extname(import.meta.url)];
const built = extension === '.ts' ? 'src' : 'dist';
const appsFolder = fileURLToPath(new URL('../../../apps/', import.meta.url));

export interface AppVariables {
  readonly app: string;
  readonly variables: Variables;
}

/**
 * Reads the environment variables that each app declares in its `config`. Nothing else of an app is loaded: apps are
 * never imported.
 */
export async function readAppVariables(): Promise<AppVariables[]> {
  const apps = readdirSync(appsFolder).sort();
  const configs = apps
    .map((app) => ({ app, file: join(appsFolder, app, built, `config${extension}`) }))
    .filter(({ file }) => existsSync(file));
  if (configs.length === 0) throw new Error(`no app has a config, seen from ${here}`);
  return Promise.all(
    configs.map(async ({ app, file }) => {
      const module = (await import(pathToFileURL(file).href)) as Record<string, Variables>;
      const name = `${inCamelCase(app)}Variables`;
      const variables = module[name];
      if (!variables) throw new Error(`${file} does not export ${name}`);
      return { app, variables };
    }),
  );
}

const inCamelCase = (words: string): string => words.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
