import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, fromNpm, fromPyPi, hasProgram, runProgram } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { local, select } from '../stack.js';
import { listOperations, readDocument } from './document.js';

const generators = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'orval@8.38.0', '@hey-api/openapi-ts@0.99.0'];
const tools = ['@redocly/cli@2.77.0', 'typescript@5.9.3', 'zod@4.6.7'];
const pythonGenerator = 'openapi-python-client==0.29.1';
const programs = fileURLToPath(new URL('programs', import.meta.url));

/** Folder of the packages; the clients are generated below it, so that they find what they import. */
let folder: string;
let work: string;
beforeAll(async () => {
  folder = fromNpm('generators/npm-1', [...generators, ...tools]);
  work = join(folder, `work-${randomUUID()}`);
  mkdirSync(work);
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(await readDocument()));
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const runTool = (name: string, ...args: string[]): string =>
  runProgram(join(folder, 'node_modules', '.bin', name), args, work);

/** Calls that the generated types of each client must take, and must not. */
const uses = `
export const message: TrackMessage = { event: 'e', userId: 'u', properties: { total: 49.9, items: [{ id: 1 }] }, timestamp: null };
// @ts-expect-error An event is a text.
export const wrong: TrackMessage = { event: 42, userId: 'u' };
// @ts-expect-error A message has an event.
export const nameless: TrackMessage = { userId: 'u' };
export const variant: Pick<ProductVariant, 'variantId' | 'price' | 'isAvailable'> = { variantId: 'v', price: 49.9, isAvailable: true };
// @ts-expect-error A price is a number.
export const free: Pick<ProductVariant, 'price'> = { price: '49.9' };
`;

/** Compiles everything in a folder of generated code, its dependencies included. */
function compile(name: string, imported: string): void {
  writeFileSync(join(work, name, 'use.ts'), imported + uses);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, allowImportingTsExtensions: true },
    ...{
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
    },
  };
  writeFileSync(join(work, name, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  runTool('tsc', '-p', name);
}

const untilStored = (userId: string) =>
  eventually(async () => {
    const rows = await select('SELECT event FROM events WHERE user_id = {userId:String}', { userId });
    expect(rows).toEqual([{ event: 'order_completed' }]);
  });

it('redocly has nothing to say', { timeout: 300_000 }, () => {
  expect(runTool('redocly', 'lint', 'openapi.json')).toContain('Your API description is valid.');
  expect(runTool('redocly', 'lint', 'openapi.json', '--format=json')).toMatch(/"errors": 0,\s+"warnings": 0/);
});

it('openapi-typescript makes types that compile, with which openapi-fetch sends', { timeout: 300_000 }, async () => {
  mkdirSync(join(work, 'openapi-typescript'));
  runTool('openapi-typescript', 'openapi.json', '-o', 'openapi-typescript/schema.ts');
  const program = `import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';
const { GATEWAY, API_KEY, SOURCE = '', USER_ID } = (globalThis as unknown as { process: { env: Record<string, string> } }).process.env;
const client = createClient<paths>({ baseUrl: GATEWAY });
const { data, error } = await client.POST('/api/tracker/sdk/{sourceIdentifier}/track', {
  params: { path: { sourceIdentifier: SOURCE } },
  headers: { authorization: \`Bearer \${API_KEY}\` },
  body: { event: 'order_completed', userId: USER_ID, properties: { total: 49.9 } },
});
const status: 'QUEUED' | undefined = data?.status;
if (status === undefined) throw new Error(error?.map(({ field, message }) => field + message).join());
`;
  writeFileSync(join(work, 'openapi-typescript', 'send.ts'), program);
  const schemas = `components['schemas']`;
  compile(
    'openapi-typescript',
    `import type { components } from './schema';
type TrackMessage = ${schemas}['TrackMessage'];
type ProductVariant = ${schemas}['ProductVariant'];`,
  );
  const userId = randomUUID();
  runProgram(process.execPath, ['openapi-typescript/send.ts'], work, environment(userId));
  await untilStored(userId);
});

it('orval makes clients and Zod schemas that compile', { timeout: 300_000 }, () => {
  const output = (client: string) => ({
    input: './openapi.json',
    output: { target: `./orval/${client}.ts`, client },
  });
  const config = { fetch: output('fetch'), zod: output('zod') };
  writeFileSync(join(work, 'orval.config.mjs'), `export default ${JSON.stringify(config)};`);
  runTool('orval', '--config', 'orval.config.mjs');
  compile('orval', `import type { ProductVariant, TrackMessage } from './fetch';`);
});

it('hey-api makes a client that compiles', { timeout: 300_000 }, () => {
  runTool('openapi-ts', '-i', 'openapi.json', '-o', 'hey-api');
  compile('hey-api', `import type { ProductVariant, TrackMessage } from './index';`);
});

it(
  'openapi-python-client makes a module for every operation, with typed fields',
  { timeout: 300_000 },
  async ({ skip }) => {
    if (!hasProgram('python3')) skip('there is no python3');
    const bin = fromPyPi('generators/python-1', [pythonGenerator]);
    writeFileSync(join(work, 'config.yml'), 'post_hooks: []\n');
    const args = ['generate', '--path', 'openapi.json', '--output-path', 'python', '--config', 'config.yml'];
    expect(runProgram(join(bin, 'openapi-python-client'), args, work)).not.toContain('Warning');
    const userId = randomUUID();
    const env = { ...environment(userId), PYTHONPATH: join(work, 'python') };
    const modules = runProgram(join(bin, 'python'), [join(programs, 'generated_client.py')], work, env);
    expect(Number(modules)).toBe(listOperations(await readDocument()).length);
    await untilStored(userId);
  },
);

function environment(userId: string): Record<string, string> {
  const { gateway, source } = local();
  return { GATEWAY: gateway.url, API_KEY: source.apiKey, SOURCE: source.sourceIdentifier, USER_ID: userId };
}
