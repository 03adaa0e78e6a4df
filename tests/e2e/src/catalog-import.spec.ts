import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { local, operator, select } from './stack.js';

let folder: string;
let prefix: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-e2e-'));
  prefix = randomUUID().slice(0, 8);
});
afterEach(() => rm(folder, { recursive: true }));

const importFile = async (name: string, content: string) => {
  const file = join(folder, name);
  await writeFile(file, content);
  return operator('catalog', 'import', file, '--source', local().source.sourceIdentifier);
};

it('imports lines of JSON, and the last line of an entity wins', async () => {
  const updates = Array.from({ length: 300 }, (_, i) => ({ id: `${prefix}-${i % 100}`, type: prefix, data: { i } }));
  const imported = await importFile('general.ndjson', updates.map((update) => JSON.stringify(update)).join('\n'));
  expect(imported).toMatchObject({ type: 'general', records: 300, refused: 0 });

  await eventually(async () => {
    const [row] = await select(
      `SELECT count() AS entities, countIf(data.i::Int64 >= 200) AS last FROM current_general_entities
       WHERE type = {prefix:String}`,
      { prefix },
    );
    expect([Number(row?.['entities']), Number(row?.['last'])]).toEqual([100, 100]);
  });
});

it('imports CSV with the types of the fields and reports refused lines', async () => {
  const csv = [
    'variantId,productId,sellerId,price,discountedPrice,stock,isAvailable,isBuyBoxWinner,attributes',
    `${prefix}-1,007,s,12345678901234567890.123456789,,2.5,true,false,"{""colour"":""آبی""}"`,
    `${prefix}-2,p,s,"1,5",,1,yes,false,`,
  ].join('\n');
  const file = join(folder, 'product-variants.csv');
  await writeFile(file, csv);

  const failed = await operator('catalog', 'import', file, '--source', local().source.sourceIdentifier).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );

  expect(failed).toHaveProperty('stderr', expect.stringContaining('error: 1 records were refused'));
  const report = JSON.parse(await readFile(`${file}.report.ndjson`, 'utf8')) as { line: number; problems: object[] };
  expect(report).toMatchObject({ line: 3, stored: false });
  expect(report.problems).toMatchObject([{ field: 'price' }, { field: 'isAvailable' }]);
  await eventually(async () => {
    const query = `SELECT product_id, price, discounted_price, stock, is_available, attributes
      FROM current_product_variants WHERE startsWith(variant_id, {prefix:String})
      SETTINGS output_format_json_quote_decimals = 1`;
    expect(await select(query, { prefix })).toEqual([
      {
        product_id: '007',
        price: '12345678901234567890.123456789',
        discounted_price: null,
        stock: '2.5',
        is_available: true,
        attributes: { colour: 'آبی' },
      },
    ]);
  });
});
