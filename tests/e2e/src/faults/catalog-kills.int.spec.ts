import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import { header, productVariantTopic } from '@sluice/contracts';
import { createKafka, Sender } from '@sluice/kafka';
import {
  eventually,
  makeVariantLog,
  Random,
  readVariantModel,
  toVariantRow,
  type ServerProcess,
} from '@sluice/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { type ConsumerOptions, forgetOwner, startConsumer } from './consumer-process.js';

// Runs the built catalog service (npm run build).

const brokers = inject('kafkaBrokers');
const source = randomUUID().slice(0, 12);
const database = `catalog_kills_${randomUUID().replaceAll('-', '')}`;
const instances: ServerProcess[] = [];
let options: ConsumerOptions;

const client = createClient({ url: inject('clickhouseUrl') });

beforeEach(async () => {
  await forgetOwner(brokers, 'catalog');
  await client.command({ query: `CREATE DATABASE ${database}` });
  const folder = await mkdtemp(join(tmpdir(), 'sluice-kills-'));
  options = { brokers, clickhouseUrl: inject('clickhouseUrl'), database, folder };
});
afterEach(async () => {
  await Promise.all(instances.splice(0).map((instance) => instance.stop(30_000)));
  await client.command({ query: `DROP DATABASE ${database}` });
  await client.close();
  await rm(options.folder, { recursive: true, force: true });
});

async function start(crashPoint?: string): Promise<ServerProcess> {
  const instance = await startConsumer('catalog', options, crashPoint);
  instances.push(instance);
  return instance;
}

async function readPrices(): Promise<Map<string, number>> {
  const query = `SELECT variant_id, price FROM ${database}.current_product_variants WHERE source_id = '${source}'`;
  const rows = await (
    await client.query({ query, format: 'JSONEachRow' })
  ).json<{ variant_id: string; price: number }>();
  expect(new Set(rows.map(({ variant_id }) => variant_id)).size).toBe(rows.length);
  return new Map(rows.map(({ variant_id, price }) => [variant_id, price]));
}

it('updates, deletions and repeats of two gateways are as a model has them when consumers are killed', async () => {
  await (await start()).stop(30_000);
  const log = makeVariantLog(new Random(11), 20_000);
  const sender = new Sender(createKafka({ KAFKA_BROKERS: brokers }, 'test'), [productVariantTopic.name]);
  await sender.start();
  const sending = (async () => {
    for (let from = 0; from < log.length; from += 100) {
      await sender.send(
        log.slice(from, from + 100).map((message) => {
          const { contract, row } = toVariantRow(message, source);
          const headers = { [header.contract]: contract, ...(message.isKeyed && { [header.possibleRepeat]: '1' }) };
          return { topic: productVariantTopic.name, key: message.entity, value: JSON.stringify(row), headers };
        }),
      );
      await sleep(100);
    }
  })();
  for (const point of ['after-intent:2', 'after-insert:2', 'after-insert:4']) {
    const doomed = await start(point);
    expect(await Promise.race([doomed.ended, sleep(45_000, 'alive')])).toBe('SIGKILL');
  }
  await start();
  await sending;
  await sender.stop();
  const model = readVariantModel(log);
  expect(model.size).toBeGreaterThan(200);
  await eventually(async () => {
    expect(await readPrices()).toEqual(model);
  }, 90_000);
}, 240_000);
