import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { local, post, select } from './stack.js';

// Runs the commands of the pages for operators as they stand there, on the embedded servers.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = ['operations', 'upgrades', 'sources', 'people', 'spool', 'runbooks']
  .map((name) => readFileSync(join(root, `docs/${name}.md`), 'utf8'))
  .join('\n');

/** Commands of the shell blocks, without comments, each on one line. */
const commands = [...page.matchAll(/^```sh\n(.*?)^```/gms)]
  .flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .replaceAll(/'\n\s+/g, "'")
      .split(/\n(?![ ])/),
  )
  .map((line) => line.replace(/\s{2,}#.*$/, '').trim())
  .filter((line) => line !== '');

/** Erasures run in specs of their own (apps/operator/src/privacy): they rewrite tables that others read here. */
const erases = /^operator privacy (run|erase)\b/;
const isOperators = (command: string): boolean =>
  /^(npm run -s operator -- |operator )/.test(command) && !erases.test(command);

/** Programs whose commands are not run here, with the reason. */
const notRun: Readonly<Record<string, string>> = {
  kubectl: 'needs a cluster',
  helm: 'needs a cluster',
  cat: 'moves files of a gateway whose messages Kafka refused',
  operator: 'rewrites tables that other specs read',
  jq: 'needs jq and the console producer of a Kafka distribution; the embedded Kafka has only its servers',
};

let folder: string;
let requestId: string;
let source: string;
let event: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-runbooks-'));
  event = `runbook_${randomUUID().slice(0, 8)}`;
  const answer = await post('track', { userId: 'u', event });
  requestId = answer.headers.get('x-request-id') ?? '';
  await eventually(async () =>
    expect(await select('SELECT 1 FROM events WHERE event = {event:String}', { event })).toHaveLength(1),
  );
  const created = await run('operator sources create --name Runbooks --type web-sdk --json');
  source = (JSON.parse(created) as { sourceIdentifier: string }).sourceIdentifier;
  await writeFile(join(folder, 'ids.ndjson'), '{"userId":"runbooks-1"}\n{"anonymousId":"runbooks-2"}\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command of the page in a folder of its own. @returns what it prints @throws when it fails */
async function run(command: string): Promise<string> {
  const { clickhouse, gateway, kafka, privacyKey, tracking } = local();
  const filled = command
    .replace(/^npm run -s operator -- |^operator /, 'node "$OPERATOR" ')
    .replaceAll('<X-Request-Id>', requestId)
    .replaceAll('<source>', source)
    .replaceAll('<event>', event)
    .replaceAll('<userId>', 'runbooks-user')
    .replaceAll('<anonymousId>', 'runbooks-browser')
    .replaceAll('<ticket>', 'runbooks')
    .replaceAll('<folder>', 'copy')
    .replaceAll('http://tracking:9000', tracking.url)
    .replaceAll('http://gateway:9000', gateway.managementUrl)
    .replace(/ …$/, '');
  const env = {
    PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`,
    OPERATOR: join(root, 'apps/operator/dist/main.js'),
    SLUICE_DATA_DIR: folder,
    KAFKA_BROKERS: kafka.brokers.join(','),
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_DATABASE: clickhouse.database,
    PRIVACY_KEY: privacyKey,
  };
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-f', '-c', filled], { cwd: folder, env })).stdout;
}

it('each command of the page is run, or has a reason why not', () => {
  const unknown = commands.filter((command) => !isOperators(command) && !((/^\w+/.exec(command)?.[0] ?? '') in notRun));
  expect(unknown).toEqual([]);
  expect(commands.filter(isOperators).length).toBeGreaterThanOrEqual(18);
});

/** Keeps only this spec's source in the export: an import refuses sources that other specs have changed since. */
async function keepOnlyOwnSource(): Promise<void> {
  const file = join(folder, 'sources.ndjson');
  const [head = '', ...records] = (await readFile(file, 'utf8')).split('\n');
  const ownRecords = records.filter((line) => line.includes(source));
  expect(ownRecords).not.toEqual([]);
  const ownHead = JSON.stringify({ ...(JSON.parse(head) as object), records: ownRecords.length });
  await writeFile(file, [ownHead, ...ownRecords].join('\n'));
}

/** Checks of each command's output or files, by the beginning of the command. */
const results: readonly (readonly [begins: string, check: (printed: string) => unknown])[] = [
  ['npm run -s operator -- events find', (printed) => expect(printed).toContain('stored')],
  ['npm run -s operator -- dead-letters list', (printed) => expect(printed).not.toBe('')],
  ['npm run -s operator -- refused list', (printed) => expect(printed).not.toBe('')],
  ['npm run -s operator -- refused replay --source <source> --dry-run', (printed) => expect(printed).not.toBe('')],
  ['npm run -s operator -- sources export', keepOnlyOwnSource],
  ['npm run -s operator -- sources import', (printed) => expect(printed).not.toBe('')],
  ['operator privacy suppress', (printed) => expect(printed).not.toContain('runbooks-')],
  ['operator privacy unsuppress', (printed) => expect(printed).not.toContain('runbooks-')],
  [
    'operator privacy forget-links --source <source> --user',
    async (printed) => {
      expect(printed).not.toContain('runbooks-');
      const keptKinds = 'SELECT DISTINCT kind FROM forgotten_links WHERE source_id = {source:String} ORDER BY kind';
      expect(await select(keptKinds, { source })).toContainEqual({ kind: 'user' });
    },
  ],
  [
    'operator privacy forget-links --source <source> --anonymous',
    (printed) => expect(printed).not.toContain('runbooks-'),
  ],
  [
    'operator privacy export',
    async () => expect(JSON.parse(await readFile(join(folder, 'copy/manifest.json'), 'utf8'))).toBeTypeOf('object'),
  ],
  ['operator privacy status', (printed) => expect(printed).not.toBe('')],
  ['operator wait-for', (printed) => expect(printed).not.toBe('')],
  ['operator doctor', (printed) => expect(printed).toContain('clickhouse.tokens')],
  [
    'operator sources limit <source> --rate-per-second',
    async () => expect(await run('operator sources show <source>')).toMatch(/50.*200.*1,?000,?000/s),
  ],
  [
    'operator sources limit <source> --daily-people-quota',
    async () => expect(await run('operator sources show <source>')).toMatch(/\b50,?000\b/),
  ],
  [
    'operator sources limit <source> --names-per-day',
    async () => expect(await run('operator sources show <source>')).toMatch(/\b5,?000\b/),
  ],
  [
    'operator sources limit <source> --daily-quota none',
    async () => expect(await run('operator sources show <source>')).not.toMatch(/1,?000,?000/),
  ],
  [
    'operator sources restrict <source> --origins https',
    async () => expect(await run('operator sources show <source>')).toContain('https://*.shop.example'),
  ],
  [
    'operator sources restrict <source> --origins any',
    async () => expect(await run('operator sources show <source>')).not.toContain('shop.example'),
  ],
];

it.each(commands.filter(isOperators))('%s', async (command) => {
  const [, check] = results.find(([begins]) => command.startsWith(begins)) ?? [];
  if (!check) throw new Error('there is no result to check');
  await check(await run(command));
});
