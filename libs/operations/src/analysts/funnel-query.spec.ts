import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Funnel, funnelQuery } from './funnel-query.js';

const funnel: Funnel = {
  source: 'AbCdEf123456',
  steps: ['product_viewed', 'product_added', 'order_completed'],
  from: '2026-03-01',
  to: '2026-04-01',
  withinMs: 86_400_000,
};

it('is the query of docs/tables.md#funnel', async () => {
  const page = await readFile(new URL('../../../../docs/tables.md', import.meta.url), 'utf8');
  expect(page).toContain(funnelQuery(funnel));
});

it('keeps a text within its quotes', () => {
  expect(funnelQuery({ ...funnel, source: "a' OR 1 --" })).toContain(String.raw`source_id = 'a\' OR 1 --'`);
  expect(funnelQuery({ ...funnel, source: 'a\\' })).toContain(String.raw`source_id = 'a\\'`);
});

it.each([
  { steps: ['product_viewed'] },
  { steps: Array<string>(17).fill('product_viewed') },
  { withinMs: 0 },
  { withinMs: 1.5 },
])('refuses %o', (wrong) => expect(() => funnelQuery({ ...funnel, ...wrong })).toThrow(RangeError));
