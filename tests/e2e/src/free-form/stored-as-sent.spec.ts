import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { parseText } from '@sluice/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSegmentSource, postSegment } from '../segment/write-key.js';
import { local, post, select, sync } from '../stack.js';
import { canonical, expectStored } from './as-stored.js';
import { generatedContext, generatedProperties } from './generated.js';

interface Item {
  userId: string;
  event: string;
  properties: object;
  context: object;
}

interface Person {
  userId: string;
  traits: object;
}

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
const items = 1_500;
const perBatch = 25;
const people = 500;
const products = 300;

const page = 'https://example.com/page';
const aProduct = { name: 'Lamp', categoryId: 'c', mainImage: page, totalStock: 1, isAvailable: true, url: page };

/** Free-form objects that a request of its own, or an item of Segment's clients, has room for. */
const smallObjects = generatedProperties.filter((sent) => Buffer.byteLength(JSON.stringify(sent)) < 8_000);

const listFields = (entries: unknown): string[] =>
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
    ...expectStored(context, `list[${index}].context`).dropped,
    ...expectStored(properties, `list[${index}].properties`).dropped,
  ]);
  const dropped = listFields((body as { dropped?: unknown }).dropped);
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
    expect(asStored(row?.properties), userId).toBe(canonical(expectStored(properties, '').stored));
    expect(asStored(row?.context), userId).toBe(canonical(expectStored(context, '').stored));
  }
});

const storedText = (text = ''): string => canonical(parseText(text));
const expectedText = (sent: object): string => canonical(expectStored(sent, '').stored);

/** Texts of a column by the id with it, when all of them are there. */
async function readColumn(query: string, rows: number, params: Record<string, unknown>): Promise<Map<string, string>> {
  return eventually(async () => {
    const stored = await select<{ id: string; text: string }>(query, params);
    expect(stored).toHaveLength(rows);
    return new Map(stored.map(({ id, text }) => [id, storedText(text)]));
  });
}

it(`on the other paths and in views it is stored as on one, too: events (seed ${seed})`, async () => {
  const event = `generated-${randomUUID()}`;
  const segment = await createSegmentSource();
  const sent = fc.sample(smallObjects, { numRuns: 2 * perBatch * 4, seed: seed + 1 });
  const [singles, ofSegment] = [sent.slice(0, perBatch * 4), sent.slice(perBatch * 4)];
  for (const [i, properties] of singles.entries())
    expect((await post('track', { userId: `u${i}`, event, properties })).status).toBe(200);
  const batch = ofSegment.map((properties, i) => ({ type: 'track', userId: `u${i}`, event, properties }));
  for (let from = 0; from < batch.length; from += perBatch)
    expect(
      (await postSegment('batch', { batch: batch.slice(from, from + perBatch) }, { source: segment })).status,
    ).toBe(200);

  for (const [{ sourceIdentifier: source }, list] of [
    [local().source, singles],
    [segment, ofSegment],
  ] as const) {
    const expected = list.map((properties, i) => [`u${i}`, expectedText(properties)]);
    for (const from of ['events FINAL', 'events_resolved(source = {source:String})']) {
      const query = `SELECT user_id AS id, toString(properties) AS text FROM ${from} WHERE source_id = {source:String} AND event = {event:String}`;
      const texts = await readColumn(query, list.length, { event, source });
      for (const [userId = '', text] of expected) expect(texts.get(userId), `${userId} in ${from}`).toBe(text);
    }
  }
});

it(`so are traits (seed ${seed})`, async () => {
  const prefix = randomUUID().slice(0, 8);
  const segment = await createSegmentSource();
  const traits = fc.sample(smallObjects, { numRuns: people, seed: seed + 2 });
  const list: Person[] = traits.map((sent, i) => ({ userId: `${prefix}-${i}`, traits: sent }));
  for (let from = 0; from < people; from += 2 * perBatch) {
    const native = list.slice(from, from + perBatch);
    const ofSegment = list
      .slice(from + perBatch, from + 2 * perBatch)
      .map((person) => ({ type: 'identify', ...person }));
    expect((await post('identifyBatch', { list: native })).status).toBe(200);
    expect((await postSegment('batch', { batch: ofSegment }, { source: segment })).status).toBe(200);
  }
  const having = `startsWith(user_id, {prefix:String})`;
  const stored = await readColumn(
    `SELECT user_id AS id, toString(traits) AS text FROM identifies FINAL WHERE ${having}`,
    people,
    { prefix },
  );
  const expected = list.map(({ userId, traits: sent }) => [userId, expectedText(sent)] as const);
  for (const [userId, text] of expected) expect(stored.get(userId), userId).toBe(text);
  const filled = expected.filter(([, text]) => text !== '{}');
  const views = await readColumn(
    `SELECT user_id AS id, toString(traits) AS text FROM user_traits WHERE ${having}`,
    filled.length,
    {
      prefix,
    },
  );
  for (const [userId, text] of filled) expect(views.get(userId), `${userId} in user_traits`).toBe(text);
});

it(`so are attributes of products (seed ${seed})`, async () => {
  const prefix = randomUUID().slice(0, 8);
  const sent = fc.sample(smallObjects, { numRuns: products, seed: seed + 3 });
  const bodies = sent.map((attributes, i) => ({ ...aProduct, productId: `${prefix}-${i}`, attributes }));
  for (const body of bodies) expect((await sync('product', body)).status).toBe(200);
  const query = `SELECT product_id AS id, toString(attributes) AS text FROM current_products WHERE startsWith(product_id, {prefix:String})`;
  const stored = await readColumn(query, products, { prefix });
  for (const { productId, attributes } of bodies)
    expect(stored.get(productId), productId).toBe(expectedText(attributes));
});
