import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { type SourceView } from '@sluice/operations';
import { json, operator } from '../operator.spec-support.js';

let folder: string;
let file: string;
let created: SourceView & { apiKey: string };

beforeAll(async () => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
  folder = await mkdtemp(join(tmpdir(), 'sluice-sources-'));
  file = join(folder, 'sources.ndjson');
  created = await json('sources', 'create', '--name', 'Exported', '--type', 'web-sdk');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** The lines of an export that belong to the source of this test: other tests share the Kafka. */
async function exported(): Promise<string[]> {
  const { exitCode, stdout } = await operator('sources', 'export');
  expect(exitCode).toBe(0);
  const [, ...lines] = stdout.trim().split('\n');
  return lines.filter((line) => line.includes(created.sourceIdentifier));
}

const write = (lines: readonly string[], count = lines.length) =>
  writeFile(file, [`{"format":"sluice-sources","records":${count}}`, ...lines].join('\n'));

it('exports sources with hashes and without keys; importing the export changes nothing', async () => {
  const lines = await exported();
  expect(lines).toHaveLength(2);
  expect(lines.join()).not.toContain(created.apiKey);
  expect(lines.join()).toMatch(/"hash":"[0-9a-f]{64}"/);

  await write(lines);
  expect(await json('sources', 'import', file)).toEqual({ created: [], changed: [], unchanged: 2 });
});

it('creates sources of another Kafka, whose keys stay valid, and does so once', async () => {
  const id = 'Imported0001';
  await write((await exported()).map((line) => line.replaceAll(created.sourceIdentifier, id)));

  const plan = await json('sources', 'import', file, '--dry-run');
  expect(plan).toMatchObject({ created: [`${id}:${created.keys[0]?.keyId}`, id], unchanged: 0 });
  expect((await operator('sources', 'show', id)).exitCode).toBe(1);

  expect(await json('sources', 'import', file)).toEqual(plan);
  expect(await json('sources', 'show', id)).toMatchObject({
    name: 'Exported',
    keys: [{ keyId: created.keys[0]?.keyId }],
  });
  expect(await json('sources', 'import', file)).toMatchObject({ created: [], unchanged: 2 });
});

it('replaces what differs only when asked to', async () => {
  await write((await exported()).map((line) => line.replace('"Exported"', '"Renamed"')));

  const refused = await operator('sources', 'import', file);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(new RegExp(`^error: nothing was written: ${created.sourceIdentifier} .*--replace`));

  expect(await json('sources', 'import', file, '--replace')).toMatchObject({ changed: [created.sourceIdentifier] });
  expect(await json('sources', 'show', created.sourceIdentifier)).toMatchObject({ name: 'Renamed' });
});

it.each([
  ['that is missing', undefined, 'cannot be read: ENOENT'],
  ['that is not an export', 'id,name', 'does not begin like an export'],
  ['that is cut off', '{"format":"sluice-sources","records":3}', 'has 0 of 3 records'],
  ['with a line that is not a record', '{"format":"sluice-sources","records":1}\n{"source":{}}', 'line 2 is neither'],
  ['with a line that is not JSON', '{"format":"sluice-sources","records":1}\nx', 'line 2 is not JSON'],
])('refuses a file %s, in one line', async (_, content, message) => {
  const bad = join(folder, 'bad');
  await rm(bad, { force: true });
  if (content !== undefined) await writeFile(bad, content);

  const { exitCode, stdout, stderr } = await operator('sources', 'import', bad);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^error: [^\n]*\n$/);
  expect(stderr).toContain(message);
});
