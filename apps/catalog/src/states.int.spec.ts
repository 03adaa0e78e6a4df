import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import { header, sellerTopic } from '@sluice/contracts';
import { type Block } from '@sluice/kafka';
import {
  keyedId,
  makeVariantLog,
  Random,
  readVariantModel,
  toVariantRow,
  unkeyedId,
  type VariantMessage,
} from '@sluice/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { CatalogController } from './catalog.controller.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `versions_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);
const catalog = new CatalogController(writer);
const migrations = readMigrations('catalog', new URL('../migrations/', import.meta.url));
let source: string;
let offset = 0;

beforeAll(async () => migrate(config, await migrations));
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await writer.close();
});
beforeEach(() => {
  source = randomUUID().slice(0, 12);
});

interface KafkaMessage {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly offset: string;
  readonly timestamp: string;
  readonly headers: Readonly<Record<string, string>>;
}

function toMessage(message: VariantMessage): KafkaMessage {
  const { contract, row } = toVariantRow(message, source);
  return {
    key: Buffer.from(message.entity),
    value: Buffer.from(JSON.stringify(row)),
    offset: String(offset++),
    timestamp: String(Date.now()),
    headers: { [header.contract]: contract, ...(message.isKeyed && { [header.possibleRepeat]: '1' }) },
  };
}

const aBlock = (messages: readonly KafkaMessage[], replay = false): Block =>
  ({ id: `${source}:${messages[0]?.offset ?? ''}`, partition: 0, replay, messages }) as unknown as Block;

const store = async (...messages: readonly VariantMessage[]): Promise<void> => {
  expect(await catalog.storeProductVariants(aBlock(messages.map(toMessage)))).toEqual([]);
};

async function readPrices(view = 'current_product_variants'): Promise<Map<string, number>> {
  const result = await client.query({
    query: `SELECT variant_id, price FROM ${view} WHERE source_id = {source:String}`,
    query_params: { source },
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ variant_id: string; price: string | number }>();
  expect(new Set(rows.map(({ variant_id }) => variant_id)).size).toBe(rows.length);
  return new Map(rows.map(({ variant_id, price }) => [variant_id, Number(price)]));
}

const aState = (entity: string, version: number, price: number | undefined): VariantMessage => ({
  entity,
  price,
  version,
  messageId: unkeyedId(),
  isKeyed: false,
});

describe('of the states of an entity', () => {
  it.each([
    [
      'an older state does not bring it back',
      [
        [2, undefined],
        [1, 10],
      ],
      undefined,
    ],
    [
      'a newer state brings it back',
      [
        [2, undefined],
        [3, 10],
      ],
      10,
    ],
    [
      'a newer state that came first stays',
      [
        [3, 10],
        [2, undefined],
      ],
      10,
    ],
    [
      'nothing is there after deletions alone',
      [
        [1, undefined],
        [2, undefined],
      ],
      undefined,
    ],
    [
      'of equal times the later in Kafka counts: a deletion',
      [
        [2, 10],
        [2, undefined],
      ],
      undefined,
    ],
    [
      'of equal times the later in Kafka counts: a state',
      [
        [2, undefined],
        [2, 10],
      ],
      10,
    ],
    [
      'of equal times the later in Kafka counts: of two states',
      [
        [2, 10],
        [2, 11],
      ],
      11,
    ],
  ] as const)('%s', async (_, states, price) => {
    const [apart, together] = ['apart', 'together'].map((entity) =>
      states.map(([version, statePrice]) => aState(entity, version, statePrice)),
    );
    for (const state of apart ?? []) await store(state);
    await store(...(together ?? []));
    const prices = await readPrices();
    expect([prices.get('apart'), prices.get('together')]).toEqual([price, price]);
    await client.command({ query: 'OPTIMIZE TABLE product_variants FINAL' });
    expect(await readPrices()).toEqual(prices);
  });
});

it('a request that is repeated under its key does not win over a state of the same time', async () => {
  const first = { ...aState('v', 5, 10), messageId: keyedId(), isKeyed: true };
  await store(first);
  await store(aState('v', 5, 11));
  await store(first);
  expect((await readPrices()).get('v')).toBe(11);
  const deletion = { ...aState('w', 5, undefined), messageId: keyedId(), isKeyed: true };
  await store(deletion, aState('w', 5, 12), deletion);
  expect((await readPrices()).get('w')).toBe(12);
});

it.each([1, 2, 3])(
  'a random log of 20,000 messages is as the model has it (seed %i)',
  { timeout: 120_000 },
  async (seed) => {
    const random = new Random(seed);
    const log = makeVariantLog(random, 20_000);
    const messages = log.map(toMessage);
    for (let from = 0; from < messages.length;) {
      const size = [1, 2, 30, 400, 3_000][random.below(5)] ?? 1;
      const block = aBlock(messages.slice(from, from + size));
      await catalog.storeProductVariants(block);
      // A consumer that is killed leaves its last block to be repeated by the next one.
      while (random.below(3) === 0) await catalog.storeProductVariants({ ...block, replay: true });
      if (random.below(30) === 0) await client.command({ query: 'OPTIMIZE TABLE product_variants FINAL' });
      from += size;
    }
    const model = readVariantModel(log);
    expect(model.size).toBeGreaterThan(200);
    expect(await readPrices()).toEqual(model);
    const offers = await client.query({
      query: 'SELECT sum(variants) AS n FROM availability WHERE source_id = {source:String}',
      query_params: { source },
      format: 'JSONEachRow',
    });
    expect(Number((await offers.json<{ n: string }>())[0]?.n)).toBe(model.size);
  },
);

it('the order of Kafka does not matter when all versions differ', async () => {
  const log = makeVariantLog(new Random(9), 2_000).map((sent, n) => ({
    ...sent,
    version: sent.version + n,
    isKeyed: false,
  }));
  const model = readVariantModel(log);
  for (const seed of [1, 2]) {
    source = randomUUID().slice(0, 12);
    const messages = new Random(seed).shuffled(log).map(toMessage);
    for (let from = 0; from < messages.length; from += 500)
      await catalog.storeProductVariants(aBlock(messages.slice(from, from + 500)));
    expect(await readPrices()).toEqual(model);
  }
});

it('tables with rows of before the upgrade answer as before, and take deletions', async () => {
  const database = `upgrade_${randomUUID().replaceAll('-', '')}`;
  const older = (await migrations).filter(({ name }) => name < '0010');
  await migrate({ ...config, CLICKHOUSE_DATABASE: database }, older);
  const upgraded = createClickHouse({ ...config, CLICKHOUSE_DATABASE: database });
  const upgradedWriter = new BlockWriter(upgraded);
  const upgradedCatalog = new CatalogController(upgradedWriter);
  const answers = async () => {
    const columns = 'variant_id, price, stock, is_available, version, request_id, kafka_offset';
    const query = `SELECT ${columns} FROM current_product_variants ORDER BY variant_id`;
    return (await upgraded.query({ query, format: 'JSONEachRow' })).json();
  };
  try {
    const log = makeVariantLog(new Random(4), 400).map((sent) => ({ ...sent, price: sent.price ?? 7 }));
    await upgradedCatalog.storeProductVariants(aBlock(log.map(toMessage)));
    const before = await answers();
    expect(before.length).toBeGreaterThan(5);
    await migrate({ ...config, CLICKHOUSE_DATABASE: database }, await migrations);
    expect(await answers()).toEqual(before);
    const [entity = ''] = readVariantModel(log).keys();
    await upgradedCatalog.storeProductVariants(aBlock([toMessage(aState(entity, 1, undefined))]));
    expect(await answers()).toEqual(before);
    await upgradedCatalog.storeProductVariants(aBlock([toMessage(aState(entity, 1_900_000_000_000_000, undefined))]));
    expect(await answers()).toHaveLength(before.length - 1);
  } finally {
    await upgraded.command({ query: `DROP DATABASE ${database}` });
    await upgradedWriter.close();
  }
});

it('deletions are left out of every view', async () => {
  const aSeller = (version: number, state: object, contract: string): Block =>
    aBlock([
      {
        key: Buffer.from('s'),
        value: Buffer.from(JSON.stringify({ source_id: source, seller_id: 's', version, ...state })),
        offset: String(offset++),
        timestamp: String(Date.now()),
        headers: { [header.contract]: contract },
      },
    ]);
  await store(aState('v', 1, 10));
  await catalog.storeSellers(aSeller(1, { email: 'a@b.de' }, sellerTopic.contract));
  const offer = async () => {
    const query = `SELECT has_winner, has_seller FROM product_offers WHERE source_id = '${source}'`;
    return (await client.query({ query, format: 'JSONEachRow' })).json();
  };
  expect(await offer()).toEqual([{ has_winner: true, has_seller: true }]);
  await catalog.storeSellers(aSeller(2, { is_deleted: true }, sellerTopic.deletionContract));
  expect(await offer()).toEqual([{ has_winner: true, has_seller: false }]);
  await store(aState('v', 2, undefined));
  expect(await offer()).toEqual([]);
});
