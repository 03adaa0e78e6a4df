import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ImportReport } from './import-report.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-report-'));
});
afterEach(() => rm(folder, { recursive: true }));

const entry = '{"line":9,"stored":false,"problems":[],"record":"{}"}\n';

it.each([
  ['the counted entries only', '{"line":1}\n{"line":2}\n{"line":3}\n', 2, '{"line":1}\n{"line":2}\n'],
  ['no entry of another import', '{"line":1}\n', 0, ''],
  ['no blank line when it was deleted', undefined, 2, ''],
])('continues with %s', async (_, earlierText, entries, expectedText) => {
  const file = join(folder, 'a.csv');
  if (earlierText !== undefined) await writeFile(ImportReport.fileFor(file), earlierText);
  const report = await ImportReport.open(file, entries);
  await report.add({ line: 9, json: '{}' }, { stored: false, problems: [] });
  await report.close();

  expect(await readFile(ImportReport.fileFor(file), 'utf8')).toBe(expectedText + entry);
  expect(await readdir(folder)).toEqual(['a.csv.report.ndjson']);
});
