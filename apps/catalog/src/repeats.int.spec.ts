import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import {
  categoryTopic,
  FinalError,
  generalEntityTopic,
  header,
  productTopic,
  productVariantTopic,
  sellerTopic,
} from '@sluice/contracts';
import { type Block } from '@sluice/kafka';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { CatalogController } from './catalog.controller.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `states_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);
const catalog = new CatalogController(writer);

const prepare = async (): Promise<unknown> =>
  migrate(config, await readMigrations('catalog', new URL('../migrations/', import.meta.url)));
beforeAll(prepare);
afterAll(() => writer.close());

/** The id of a message that came with a key. */
const keyed = (): string => randomUUID().replace(/^(.{14})./, '$18');
const unkeyed = '0190a6e5-2f3c-7d8b-9a3e-1b2c3d4e5f60';
let offset = 0;

describe.each([
  ['sellers', sellerTopic, 'seller_id', 'first_name', (block: Block) => catalog.storeSellers(block)],
  ['products', productTopic, 'product_id', 'name', (block: Block) => catalog.storeProducts(block)],
  ['product_variants', productVariantTopic, 'variant_id', 'url', (block: Block) => catalog.storeProductVariants(block)],
  ['categories', categoryTopic, 'category_id', 'name', (block: Block) => catalog.storeCategories(block)],
  ['general_entities', generalEntityTopic, 'id', 'type', (block: Block) => catalog.storeGeneralEntities(block)],
] as const)('%s', (table, topic, key, column, store) => {
  /** A message about the entity, as the gateway writes it. */
  const aMessage = (entity: string, id: string, version: number, state: string, members: object = {}) => {
    const receivedAt = new Date().toISOString();
    const origin = { source_id: 'TestSource12', request_id: randomUUID(), received_at: receivedAt };
    const row = { ...origin, message_id: id, version, [key]: entity, [column]: state, ...members };
    return {
      key: Buffer.from(entity),
      value: Buffer.from(JSON.stringify(row)),
      offset: String(offset++),
      timestamp: String(Date.now()),
      headers: { [header.contract]: topic.contract, [header.possibleRepeat]: '1' },
    };
  };
  const aBlock = (messages: ReturnType<typeof aMessage>[], replay = false): Block =>
    ({ id: `${table}:${messages[0]?.offset ?? ''}`, partition: 0, replay, messages }) as unknown as Block;
  const stateOf = async (entity: string): Promise<string | undefined> => {
    const query = `SELECT ${column} AS state FROM current_${table} WHERE ${key} = {entity:String}`;
    const result = await client.query({ query, query_params: { entity }, format: 'JSONEachRow' });
    return (await result.json<{ state: string }>())[0]?.state;
  };

  it('a repeated request does not win over a newer state, also after a merge removed the first one', async () => {
    const [entity, first] = [randomUUID(), keyed()];
    const oldBlock = aBlock([aMessage(entity, first, 1, 'old')]);
    await store(oldBlock);
    await store(aBlock([aMessage(entity, keyed(), 2, 'new')]));
    await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });

    await store(aBlock([aMessage(entity, first, 3, 'old')]));
    expect(await stateOf(entity)).toBe('new');
    await store({ ...oldBlock, replay: true });
    expect(await stateOf(entity)).toBe('new');
    await store(aBlock([aMessage(entity, keyed(), 4, 'old')]));
    expect(await stateOf(entity)).toBe('old');
  });

  it('a repeat in the same block does not win, in any order, nor does a replay of the block', async () => {
    const [entity, first] = [randomUUID(), keyed()];
    const messages = [
      aMessage(entity, first, 3, 'old'),
      aMessage(entity, first, 1, 'old'),
      aMessage(entity, keyed(), 2, 'new'),
      aMessage(entity, first, 4, 'old'),
    ];
    await store(aBlock(messages));
    expect(await stateOf(entity)).toBe('new');
    await store(aBlock(messages, true));
    expect(await stateOf(entity)).toBe('new');
  });

  it('a repeat is stored while its first copy is not, and requests without a key are all states', async () => {
    const [entity, id] = [randomUUID(), keyed()];
    await store(aBlock([aMessage(entity, id, 2, 'repeat')]));
    expect(await stateOf(entity)).toBe('repeat');
    await store(aBlock([aMessage(entity, unkeyed, 3, 'one'), aMessage(entity, unkeyed, 4, 'two')]));
    expect(await stateOf(entity)).toBe('two');
  });

  it('a block waits while catalog_messages cannot be read, whatever else is stored', async () => {
    const [entity, id] = [randomUUID(), keyed()];
    const block = aBlock([aMessage(entity, id, 1, 'state')]);
    await store(aBlock([aMessage(randomUUID(), keyed(), 1, 'before')]));
    // Without the view, as without the right to read the table, blocks without keys are stored.
    await client.command({ query: `DROP VIEW catalog_messages_from_${table}` });
    await client.command({ query: 'RENAME TABLE catalog_messages TO hidden_messages' });
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    try {
      for (let n = 0; n < 12; n++, aheadMs += 5 * 60_000) {
        const error: unknown = await store(block).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ message: expect.stringContaining('UNKNOWN_TABLE') as string });
        expect(error).not.toBeInstanceOf(FinalError);
        const unkeyedBlock = aBlock([aMessage(randomUUID(), unkeyed, 1, 'other')]);
        expect(await store({ ...unkeyedBlock, partition: 1 })).toEqual([]);
      }
    } finally {
      clock.mockRestore();
      await client.command({ query: 'RENAME TABLE hidden_messages TO catalog_messages' });
      await prepare();
    }
    await store(block);
    const query = `SELECT count() AS n FROM ${table} WHERE ${key} = '${entity}'`;
    expect(await (await client.query({ query, format: 'JSONEachRow' })).json()).toEqual([{ n: 1 }]);
  });

  it('a member of the client is not taken for the id of a row of an earlier gateway', async () => {
    const [entity, id] = [randomUUID(), keyed()];
    const bag = table === 'general_entities' ? 'data' : table === 'categories' ? undefined : 'attributes';
    const members = { message_id: undefined, ...(bag && { [bag]: { message_id: id } }) };
    for (const version of [1, 2, 3]) await store(aBlock([aMessage(entity, id, version, `v${version}`, members)]));
    expect(await stateOf(entity)).toBe('v3');
  });
});
