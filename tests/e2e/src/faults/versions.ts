import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOperator } from '@sluice/testing';

export const thisCheckout = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * Copies this build into a folder as the next version: its gateway writes track.v2, which this version's consumers
 * refuse, and its consumers store track.v1 as well.
 */
export async function makeNextVersion(folder: string): Promise<string> {
  const checkout = join(folder, 'next-version');
  const modules = join(checkout, 'node_modules');
  await mkdir(join(modules, '@sluice'), { recursive: true });
  for (const name of await readdir(join(thisCheckout, 'node_modules'))) {
    if (name !== '@sluice') await symlink(join(thisCheckout, 'node_modules', name), join(modules, name));
  }
  for (const kind of ['apps', 'libs']) {
    for (const project of await readdir(join(thisCheckout, kind))) {
      for (const part of ['package.json', 'dist', 'migrations', 'node_modules']) {
        const from = join(thisCheckout, kind, project, part);
        if (existsSync(from)) await cp(from, join(checkout, kind, project, part), { recursive: true });
      }
      if (kind === 'libs') await symlink(join(checkout, kind, project), join(modules, '@sluice', project));
    }
  }
  const topics = join(checkout, 'libs/contracts/dist/tracking/topics.js');
  const text = await readFile(topics, 'utf8');
  const next = text.replace("contract: 'track.v1'", "contract: 'track.v2', earlierContracts: ['track.v1']");
  if (next === text) throw new Error(`${topics} does not declare track.v1`);
  await writeFile(topics, next);
  return checkout;
}

/** True when the operator of a checkout knows `wait-for`. */
export const knowsWaitFor = (checkout: string): boolean => existsSync(join(checkout, 'apps/operator/dist/wait-for'));

/** Runs `operator wait-for` of a checkout to its end, as the init containers of the chart do. */
export async function waitFor(
  checkout: string,
  brokers: readonly string[],
  kind: 'consumers' | 'gateways',
  addresses: { gateways: readonly string[]; consumers: readonly string[] },
): Promise<void> {
  const args = [
    'wait-for',
    kind,
    '--for-at-most',
    '180',
    '--consumer',
    ...addresses.consumers,
    ...(kind === 'gateways' ? ['--gateway', ...addresses.gateways] : []),
  ];
  const { stderr } = await runOperator(args, { KAFKA_BROKERS: brokers.join(',') }, checkout);
  if (stderr !== '') console.log(stderr.trim());
}
