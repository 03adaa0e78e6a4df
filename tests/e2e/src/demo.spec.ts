import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { local, operator, select, type SourceCredentials } from './stack.js';

const program = fileURLToPath(new URL('../../../tools/demo/dist/main.js', import.meta.url));

/** Runs the program of `npm run demo` with the given source. Resolves with its output when it exits with 0. */
async function demo(source: SourceCredentials, ...args: string[]): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
  try {
    await writeFile(join(dataDir, 'local.json'), JSON.stringify({ ...local(), source }));
    const env = { ...process.env, SLUICE_DATA_DIR: dataDir };
    return (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

const aSource = () => operator<SourceCredentials>('sources', 'create', '--name', 'Demo', '--type', 'tracking-api');

/** Counts that the output shows for a table: sent and stored. */
function readCounts(output: string, table: string): number[] {
  const [, sent = '', stored = ''] = new RegExp(`^  ${table} +([\\d,]+) +([\\d,]+)$`, 'm').exec(output) ?? [];
  return [sent, stored].map((text) => Number(text.replaceAll(',', '')));
}

it('a history of the demo shop is stored exactly once, and its queries have answers', async () => {
  const source = await aSource();
  const output = await demo(source, '--history', '4d', '--users', '80', '--seed', 'e2e');

  const tables: Record<string, string> = {
    events: 'count()',
    identifies: 'count()',
    ad_requests: 'count()',
    push_interactions: 'count()',
    push_devices: 'count()',
    products: 'uniqExact(product_id)',
    product_variants: 'uniqExact(variant_id)',
  };
  for (const [table, count] of Object.entries(tables)) {
    const rows = table === 'push_interactions' || table === 'push_devices' ? `${table} FINAL` : table;
    const [row] = await select<{ n: number }>(
      `SELECT toUInt32(${count}) AS n FROM ${rows} WHERE source_id = {id:String}`,
      {
        id: source.sourceIdentifier,
      },
    );
    const [sent, stored] = readCounts(output, table);
    expect([table, sent, stored]).toEqual([table, row?.n, row?.n]);
    expect(row?.n).toBeGreaterThan(0);
  }
  const [days] = await select<{ n: number }>(
    'SELECT toUInt32(uniqExact(toDate(timestamp))) AS n FROM events WHERE source_id = {id:String}',
    { id: source.sourceIdentifier },
  );
  expect(days?.n).toBeGreaterThanOrEqual(4);
  expect(output.match(/^curl 'http.*database=sluice' --data-binary "SELECT/gm)).toHaveLength(3);
  expect(output.match(/^┌/gm)).toHaveLength(3);
});

it('a live demo ends when its time is over, with everything stored', async () => {
  const output = await demo(await aSource(), '--rate', '400', '--duration', '4s', '--users', '40');
  const [sent, stored] = readCounts(output, 'events');
  expect(sent).toBeGreaterThan(0);
  expect(stored).toBe(sent);
});
