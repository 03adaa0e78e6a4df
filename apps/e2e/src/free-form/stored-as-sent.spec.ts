import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { parseText } from '@sluice/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { post, select } from '../stack.js';
import { canonical, expectationOf } from './as-stored.js';
import { generatedContext, generatedProperties } from './generated.js';

interface Item {
  userId: string;
  event: string;
  properties: object;
  context: object;
}

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
const items = 1_500;
const perBatch = 25;

const fieldsOf = (entries: unknown): string[] =>
  (entries as { field: string }[] | undefined)?.map(({ field }) => field) ?? [];

/** Sorts the paths and leaves out those below another dropped path. */
function topmost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  const parents = (path: string): string[] =>
    [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).filter((parent) => parent !== path);
  return paths.filter((path) => !parents(path).some((parent) => all.has(parent))).sort();
}

/** Shortens a long path as the gateway's answer does. */
const shortened = (field: string): string =>
  field.length <= 1_024 ? field : `${field.slice(0, 1_023).toWellFormed()}…`;

/** Sends the items and checks that the answer names exactly the fields that the rules drop. */
async function send(list: readonly Item[]): Promise<void> {
  const { status, body } = await post('trackBatch', { list });
  expect(status, canonical(body)).toBe(200);
  const expected = list.flatMap(({ properties, context }, index) => [
    ...expectationOf(context, `list[${index}].context`).dropped,
    ...expectationOf(properties, `list[${index}].properties`).dropped,
  ]);
  const dropped = fieldsOf((body as { dropped?: unknown }).dropped);
  expect(topmost(dropped)).toEqual(topmost(expected.map(shortened)));
}

it(`everything that was sent is stored, except values that the answer names as dropped (seed ${seed})`, async () => {
  const event = `generated-${randomUUID()}`;
  const sample = fc.sample(fc.tuple(generatedProperties, generatedContext), { numRuns: items, seed });
  const sent = sample.map(([properties, context], i) => ({ userId: `u${i}`, event, properties, context }));
  for (let from = 0; from < items; from += perBatch) await send(sent.slice(from, from + perBatch));

  const stored = await eventually(async () => {
    const query = `SELECT user_id, toString(properties) AS properties, toString(context) AS context
                     FROM events WHERE event = {event:String}`;
    const rows = await select<{ user_id: string; properties: string; context: string }>(query, { event });
    expect(rows).toHaveLength(items);
    return new Map(rows.map((row) => [row.user_id, row]));
  });
  for (const { userId, properties, context } of sent) {
    const row = stored.get(userId);
    const asStored = (text = ''): string => canonical(parseText(text));
    expect(asStored(row?.properties), userId).toBe(canonical(expectationOf(properties, '').stored));
    expect(asStored(row?.context), userId).toBe(canonical(expectationOf(context, '').stored));
  }
});
