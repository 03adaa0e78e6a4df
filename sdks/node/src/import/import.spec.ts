import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Rejected } from './progress.js';
import { runImport } from './run.js';

vi.setConfig({ testTimeout: 60_000 });

interface Request {
  readonly path: string;
  readonly key: string;
  readonly list: readonly Record<string, unknown>[];
}

let folder: string;
let file: string;
let server: Server;
let requests: Request[];
/** Answers a request. Returns false to have it stored. */
let answerTo: (request: Request, answer: ServerResponse) => boolean;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-import-'));
  file = join(folder, 'events.ndjson');
  requests = [];
  answerTo = () => false;
  server = createServer((request, answer) => {
    text(request).then(
      (body) => {
        const { list } = JSON.parse(body) as Pick<Request, 'list'>;
        const seen = { path: request.url ?? '', key: String(request.headers['idempotency-key']), list };
        if (answerTo(seen, answer)) return;
        requests.push(seen);
        answer.end('{"status":"QUEUED"}');
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const args = (...more: string[]): string[] => [
  'import',
  file,
  '--host',
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  '--source',
  'Source000001',
  ...more,
];

async function sluice(...more: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runImport(
    args(...more),
    { SLUICE_API_KEY: 'key' },
    { out: (line) => void out.push(line), err: (line) => void err.push(line) },
  );
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** The messages that the service stores: one for each key, place and message. */
const stored = (): Map<string, Record<string, unknown>> =>
  new Map(
    requests.flatMap(({ key, list }) =>
      list.map((item, at) => [`${key} ${at} ${JSON.stringify(item)}`, item] as const),
    ),
  );

const event = (at: number): string =>
  JSON.stringify({ userId: `u-${at % 7}`, event: 'bought', properties: { at }, timestamp: '2020-01-02T03:04:05.678Z' });
const events = (count: number): string => Array.from({ length: count }, (_, at) => `${event(at)}\n`).join('');

const rejected = (): Rejected[] =>
  readFileSync(`${file}.rejects.ndjson`, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Rejected);

it('sends every line once, with its time', async () => {
  const traits = '{"type":"identify","userId":"u-1","traits":{"plan":"pro"},"timestamp":"2020-01-01T00:00:00Z"}';
  writeFileSync(file, `${events(1_050)}${traits}\r\n\n${event(1_050)}`);
  const { code, out } = await sluice();
  expect([code, out]).toEqual([0, '1052 messages stored, 0 of them in part, 0 refused.']);
  const all = [...stored().values()];
  expect(all).toHaveLength(1_052);
  expect(all.filter(({ timestamp }) => timestamp === '2020-01-02T03:04:05.678Z')).toHaveLength(1_051);
  expect(requests.filter(({ path }) => path.endsWith('/identifyBatch')).flatMap(({ list }) => list)).toEqual([
    { userId: 'u-1', traits: { plan: 'pro' }, timestamp: '2020-01-01T00:00:00Z' },
  ]);
  expect([existsSync(`${file}.progress.json`), existsSync(`${file}.rejects.ndjson`)]).toEqual([false, false]);
});

it('a second import of the same file, or of one that has grown, stores nothing twice', async () => {
  writeFileSync(file, events(450).trimEnd());
  await sluice();
  await sluice('--restart', '--parallel', '3');
  for (const count of [470, 700]) {
    writeFileSync(file, events(count));
    await sluice();
    expect(stored().size).toBe(count);
  }
});

it('reports bad lines with their numbers, and imports the others', async () => {
  const lines = [event(0), '{"userId":', '[1]', '{"userId":"u","event":"e"}', event(1), '{"type":"page"}'];
  const bytes = Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), Buffer.from([0xff, 0x0a]), Buffer.from(event(2))]);
  writeFileSync(file, bytes);
  const { code, out, err } = await sluice();
  expect([code, err]).toEqual([1, 'error: 5 lines were refused']);
  expect(out).toContain('3 messages stored');
  expect(rejected().map(({ line, isStored, problems: [problem] }) => [line, isStored, problem?.field])).toEqual([
    [2, false, ''],
    [3, false, ''],
    [4, false, 'timestamp'],
    [6, false, 'type'],
    [7, false, ''],
  ]);
  expect(stored().size).toBe(3);
});

it('reports lines that the service refuses, or stores in part', async () => {
  writeFileSync(file, events(150));
  answerTo = ({ list }, answer) => {
    if (list.length < 100) return false;
    const body = { status: 'QUEUED', rejected: [{ field: 'list[3].userId', message: 'no' }] };
    answer.end(JSON.stringify({ ...body, dropped: [{ field: 'list[5].properties.at', message: 'left out' }] }));
    return true;
  };
  const { code, out } = await sluice();
  expect([code, out.split('\n')[0]]).toEqual([1, '149 messages stored, 1 of them in part, 1 refused.']);
  expect(rejected()).toMatchObject([
    { line: 4, isStored: false, problems: [{ field: 'userId', message: 'no' }], text: event(3) },
    { line: 6, isStored: true, problems: [{ field: 'properties.at' }] },
  ]);
});

it('waits as long as the service says, and repeats requests without an answer under their key', async () => {
  writeFileSync(file, events(1_000));
  const keys = new Map<string, number>();
  let reportedAt = 0;
  let early = 0;
  answerTo = ({ key }, answer) => {
    const tries = (keys.get(key) ?? 0) + 1;
    keys.set(key, tries);
    if (reportedAt > 0 && performance.now() - reportedAt < 900) early++;
    if (tries > 1) return false;
    if (keys.size === 9) {
      reportedAt = performance.now();
      answer.writeHead(429, { 'retry-after': '1' }).end('[{"field":"","message":"slow"}]');
      return true;
    }
    if (keys.size % 4 === 0) answer.destroy();
    return keys.size % 4 === 0;
  };
  expect((await sluice('--parallel', '2')).code).toBe(0);
  expect(stored().size).toBe(1_000);
  // The other request of the two may have been under way.
  expect(early).toBeLessThanOrEqual(1);
});

it.each([
  ['a missing file', false, /no such file/],
  ['a refused key', true, /refuses source or key: 401 no/],
])('%s ends with a message and exit code 1', async (_, isThere, message) => {
  if (isThere) writeFileSync(file, events(5));
  answerTo = (_request, answer) => {
    answer.writeHead(401).end('[{"field":"","message":"no"}]');
    return true;
  };
  const { code, err } = await sluice();
  expect(code).toBe(1);
  expect(err).toMatch(message);
  expect(err).not.toContain('    at ');
});

it.each([
  [['import'], 'one file is needed'],
  [['import', 'a', '--source', 's'], '--host is needed'],
  [['import', 'a', '--hots', 's'], "Unknown option '--hots'"],
  [['import', 'a', '--host', 'h', '--source', 's', '--parallel', '0'], '--parallel must be'],
  [['export'], "there is no command 'export'"],
])('%j: says what is wrong', async (wrong, message) => {
  const err: string[] = [];
  const code = await runImport(
    wrong,
    { SLUICE_API_KEY: 'key' },
    { out: () => undefined, err: (line) => void err.push(line) },
  );
  expect([code, err.join()]).toEqual([1, expect.stringContaining(message)]);
});

it('killed at any moment, and started again, every line is stored once', async () => {
  const count = 20_000;
  writeFileSync(file, events(count));
  const program = fileURLToPath(new URL('./main.ts', import.meta.url));
  const env = { ...process.env, SLUICE_API_KEY: 'key' };
  const start = () => spawn(process.execPath, [...process.execArgv, program, ...args()], { env, stdio: 'ignore' });
  let sent = 0;
  for (let turn = 0; turn < 4; turn++) {
    const child = start();
    const until = sent + 10 + Math.random() * 40;
    await expect.poll(() => requests.length, { timeout: 30_000, interval: 2 }).toBeGreaterThan(until);
    child.kill('SIGKILL');
    await once(child, 'exit');
    sent = requests.length;
  }
  const [code] = (await once(start(), 'exit')) as [number];
  expect(code).toBe(0);
  const numbers = [...stored().values()].map(({ properties }) => (properties as { at: number }).at);
  expect(numbers).toHaveLength(count);
  expect(new Set(numbers).size).toBe(count);
  // Each start continued: only requests that were under way, or not noted, are sent again.
  expect(requests.length).toBeLessThan(2 * (count / 100));
}, 120_000);
