import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { eventually, runOperator } from '@sluice/testing';
import { afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { local, select } from '../stack.js';
import { createSegmentSource, type SegmentSource } from './write-key.js';

let source: SegmentSource;
let folder: string;
beforeAll(async () => {
  source = await createSegmentSource();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-import-'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Ended {
  stdout: string;
  stderr: string;
}

const runWithKey = (writeKey: string, ...args: string[]): Promise<Ended> =>
  runOperator(['import', '--from', 'posthog', '--gateway-url', local().gateway.url, ...args], {
    SLUICE_DATA_DIR: inject('dataDir'),
    SLUICE_WRITE_KEY: writeKey,
  });
const runImport = (file: string, ...options: string[]): Promise<Ended> =>
  runWithKey(source.writeKey, '--json', ...options, file).catch((error: unknown) => error as Ended);

it('stores each record once, however often imported; a dry run counts refusals', { timeout: 240_000 }, async () => {
  const userId = randomUUID();
  const event = (i: number) => ({
    uuid: randomUUID(),
    event: 'order placed',
    distinct_id: userId,
    timestamp: '2026-01-31 12:00:00.000000',
    properties: JSON.stringify({ n: i, $is_identified: true }),
  });
  const lines = Array.from({ length: 700 }, (_, i) =>
    JSON.stringify(i === 99 ? { ...event(i), distinct_id: '' } : event(i)),
  );
  const file = join(folder, 'posthog.jsonl.gz');
  await writeFile(file, gzipSync(lines.join('\n')));
  const rows = () =>
    select(
      'SELECT count() AS rows, uniqExact(properties.n::Int64) AS numbers FROM events FINAL WHERE user_id = {userId:String}',
      {
        userId,
      },
    );

  const dry = await runImport(file, '--dry-run');
  expect(dry.stderr).toContain('error: 1 records would be refused');
  expect(await rows()).toEqual([{ rows: 0, numbers: 0 }]);

  for (const options of [[], ['--restart']]) {
    const { stdout, stderr } = await runImport(file, ...options);
    expect(JSON.parse(stdout)).toMatchObject([{ records: 700, refused: 1 }]);
    expect(stderr).toContain('error: 1 records were refused');
    await eventually(async () => expect(await rows()).toEqual([{ rows: 699, numbers: 699 }]));
  }
  const report = JSON.parse(await readFile(`${file}.report.ndjson`, 'utf8')) as object;
  expect(report).toMatchObject({ line: 100, stored: false, problems: [{ field: 'userId' }] });
  expect((await readdir(folder)).sort()).toEqual([basename(file), `${basename(file)}.report.ndjson`]);
});

it('fails without a write key, and with a wrong one', async () => {
  const file = join(folder, 'export.jsonl');
  await writeFile(file, '{"uuid":"1","event":"e","distinct_id":"u"}\n');
  await expect(runWithKey('', file)).rejects.toHaveProperty(
    'stderr',
    expect.stringContaining('SLUICE_WRITE_KEY: <source>_<API key>'),
  );
  await expect(runWithKey(`${source.sourceIdentifier}_x`, file)).rejects.toHaveProperty(
    'stderr',
    expect.stringContaining('the gateway refuses the batch: 401 the API key of the write key is not one of the source'),
  );
});
