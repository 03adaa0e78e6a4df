import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { header, productVariantTopic } from '@sluice/contracts';
import { createKafka } from '@sluice/kafka';
import { eventually, Random, readVariantModel, type VariantMessage } from '@sluice/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { readMessages } from '../privacy/person-everywhere.js';
import { CatalogGateways } from './catalog-gateways.js';

// Runs the built gateway and catalog service (npm run build).

const brokers = inject('kafkaBrokers');
/** Times by which the clocks of the two gateways are ahead. */
const clockOffsets = [0, 2_000];
/** Upper bound of the time by which a version may be ahead of its arrival: docs/sync-api.md#which-message-wins. */
const aheadMs = 5_000;
const repeatedAfterMs = 6_000;
const requestCount = 1_500;
const senders = 8;
let world: CatalogGateways;

beforeEach(async () => {
  world = await CatalogGateways.start(brokers, inject('clickhouseUrl'));
}, 120_000);
afterEach(() => world.stop(), 120_000);

/** A request about a few variants. */
interface SentRequest {
  readonly endpoint: string;
  readonly list: readonly Record<string, unknown>[];
  readonly key: string | undefined;
  /** Milliseconds since the process began. */
  readonly sentAt: number;
}

/** A message as it lies in Kafka, with what its sender gave. */
interface StoredMessage extends VariantMessage {
  readonly updatedAt: string | undefined;
  readonly receivedAt: number;
}

const variant = (id: string, price: number, updatedAt?: string) => ({
  ...{ variantId: id, productId: 'p', sellerId: 's', price, stock: 1, isAvailable: true, isBuyBoxWinner: true },
  ...(updatedAt !== undefined && { updatedAt }),
});

function makeRequest(random: Random, number: number, earlier: readonly SentRequest[]): SentRequest {
  // A repeat under its key that is quicker than the clocks differ has the version of either try: docs/sync-api.md.
  const repeated = earlier.filter(
    ({ key, sentAt }) => key === undefined || performance.now() - sentAt > repeatedAfterMs,
  );
  if (repeated.length > 0 && random.below(10) === 0) return random.pick(repeated);
  const isDeletion = random.below(4) === 0;
  const list = Array.from({ length: 1 + random.below(4) }, () => {
    const id = `v${random.below(60)}`;
    // Whole seconds, so that many are equal; some are in the future.
    const seconds = Math.floor(Date.now() / 1_000) + random.below(60) - 45;
    const updatedAt = random.below(2) === 0 ? new Date(seconds * 1_000).toISOString() : undefined;
    return isDeletion
      ? { variantId: id, ...(updatedAt !== undefined && { updatedAt }) }
      : variant(id, number, updatedAt);
  });
  const key = random.below(3) === 0 ? randomUUID() : undefined;
  return {
    endpoint: isDeletion ? 'productVariantDelete' : 'productVariantBatch',
    list,
    key,
    sentAt: performance.now(),
  };
}

/** All messages about variants of the source, those of one partition in their order. */
async function readLog(): Promise<StoredMessage[]> {
  const messages = await readMessages(createKafka({ KAFKA_BROKERS: brokers }, 'test'), world.sourceIdentifier);
  return messages
    .filter(({ topic }) => topic === productVariantTopic.name)
    .map(({ value, headers }) => {
      const row = JSON.parse(String(value)) as Record<string, string | number | undefined>;
      const isState = String(headers?.[header.contract]) === productVariantTopic.contract;
      return {
        entity: String(row['variant_id']),
        price: isState ? Number(row['price']) : undefined,
        version: Number(row['version']),
        messageId: String(row['message_id']),
        isKeyed: headers?.[header.possibleRepeat] !== undefined,
        updatedAt: row['updated_at'] === undefined ? undefined : String(row['updated_at']),
        receivedAt: Date.parse(String(row['received_at'])),
      };
    });
}

it('the states are as a model has them, through two gateways whose clocks differ and killed consumers', async () => {
  const random = new Random(23);
  for (const offset of clockOffsets) await world.startGateway(offset);
  await (await world.startConsumer()).stop(30_000);
  const sent: SentRequest[] = [];
  const send = async (): Promise<void> => {
    while (sent.length < requestCount) {
      const request = makeRequest(random, sent.length + 1, sent);
      sent.push(request);
      const { endpoint, list, key } = request;
      expect(await world.post(random.below(2), endpoint, { list }, key)).toBe(200);
      await sleep(random.below(120));
    }
  };
  const sending = Promise.all(Array.from({ length: senders }, send));
  for (const crashPoint of ['after-intent:2', 'after-insert:2', 'after-intent:4']) {
    const doomed = await world.startConsumer({ crashPoint });
    expect(await Promise.race([doomed.ended, sleep(60_000, 'alive')])).toBe('SIGKILL');
  }
  await world.startConsumer();
  await sending;

  const log = await readLog();
  expect(log).toHaveLength(sent.reduce((sum, { list }) => sum + list.length, 0));
  const timed = log.filter(({ updatedAt }) => updatedAt !== undefined);
  expect(timed.length).toBeGreaterThan(1_000);
  for (const { updatedAt = '', version, receivedAt } of timed) {
    const said = Date.parse(updatedAt);
    // The arrival within the gateway is a little later than that of the request.
    if (said <= receivedAt) expect(version).toBe(said * 1_000);
    else expect(version).toBeLessThanOrEqual(Math.min(said, receivedAt + aheadMs + 1_000) * 1_000);
  }
  const model = readVariantModel(log);
  expect(model.size).toBeGreaterThan(20);
  // Each difference with all messages about the variant, which say what went wrong.
  const listDifferences = async (): Promise<unknown[]> => {
    const prices = await world.readPrices();
    const ids = [...new Set([...prices.keys(), ...model.keys()])].filter((id) => prices.get(id) !== model.get(id));
    return ids.map((id) => ({ id, is: prices.get(id), messages: log.filter(({ entity }) => entity === id) }));
  };
  await eventually(async () => expect(await listDifferences()).toEqual([]), 90_000);

  // Nothing is doubled in the history: one row for each version of a variant.
  const [row] = await world.select<{ rows: string; versions: string }>(
    `SELECT count() AS rows, uniqExact(variant_id, version) AS versions
     FROM {database}.variant_states FINAL WHERE source_id = {source:String}`,
  );
  expect(Number(row?.rows)).toBe(Number(row?.versions));
}, 300_000);
