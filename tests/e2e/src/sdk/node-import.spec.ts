import { eventually } from '@sluice/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { local, select } from '../stack.js';

const program = fileURLToPath(new URL('../../../../sdks/node/dist/import/main.js', import.meta.url));
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-import-'));
  file = join(folder, 'events.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function sluiceImport(): Promise<Ended> {
  const { gateway, source } = local();
  const args = ['import', file, '--host', gateway.url, '--source', source.sourceIdentifier];
  const env = { ...process.env, SLUICE_API_KEY: source.apiKey };
  return promisify(execFile)(process.execPath, [program, ...args], { env }).catch((error: unknown) => error as Ended);
}

it('imports events and traits of the past, each once, and names what the service refuses', async () => {
  const event = `imported_${Date.now()}`;
  const events = Array.from({ length: 2_500 }, (_, index) =>
    JSON.stringify({
      userId: `u-${index % 9}`,
      event,
      properties: { at: index },
      timestamp: `2019-05-06T07:08:0${index % 10}.123Z`,
    }),
  );
  const traits = { type: 'identify', userId: event, traits: { plan: 'pro' }, timestamp: '2019-05-06T07:08:09Z' };
  const refused = JSON.stringify({ userId: 'not allowed: spaces', event, timestamp: '2019-05-06T07:08:09Z' });
  writeFileSync(file, [...events.slice(0, 700), refused, ...events.slice(700), JSON.stringify(traits)].join('\n'));

  for (let times = 0; times < 2; times++) {
    const { code, stdout, stderr } = await sluiceImport();
    expect([code, stderr.split('\n').at(-2)]).toEqual([1, 'error: 1 lines were refused']);
    expect(stdout).toContain('2501 messages stored, 0 of them in part, 1 refused.');
    expect(JSON.parse(readFileSync(`${file}.rejects.ndjson`, 'utf8'))).toMatchObject({ line: 701, isStored: false });
  }
  await eventually(async () => {
    const [row] = await select(
      `SELECT count() AS rows, uniqExact(properties.at.:Int64) AS different, toString(min(timestamp)) AS first
       FROM events WHERE event = {event:String}`,
      { event },
    );
    expect([Number(row?.['rows']), Number(row?.['different']), row?.['first']]).toEqual([
      2_500,
      2_500,
      '2019-05-06 07:08:00.123',
    ]);
    const [people] = await select('SELECT count() AS rows FROM identifies WHERE user_id = {event:String}', { event });
    expect(Number(people?.['rows'])).toBe(1);
  });
});
