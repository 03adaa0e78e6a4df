import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKafka } from '@sluice/kafka';
import { eventually, freePort } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { local, operator, post, select, type SourceCredentials } from '../stack.js';
import { activate, shopPlan } from './active-plan.js';

const misspelt = { userId: 'u', event: 'order_complete' };
const unknownEvent = [{ field: 'event', message: 'is not an event of the plan' }];

let folder: string;
let source: SourceCredentials;
let gateway: GatewayProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-plans-'));
  source = await operator<SourceCredentials>('sources', 'create', '--name', 'Plan', '--type', 'tracking-api');
});
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const send = (endpoint: string, message: object = misspelt) =>
  post(endpoint, message, { gateway: gateway?.url ?? '', source });

/** Settings without a reachable Kafka. The folder is an earlier gateway's; its suppressed people need the same key. */
const withoutKafka = async (): Promise<Record<string, string>> => ({
  GATEWAY_DATA_DIR: folder,
  KAFKA_BROKERS: `127.0.0.1:${await freePort()}`,
  PRIVACY_KEY: local().privacyKey,
});

it('a plan is in force within two seconds on every worker, and without Kafka from the snapshot', async () => {
  gateway = await startGatewayProcess({ GATEWAY_DATA_DIR: folder, GATEWAY_WORKERS: '2' });
  await eventually(async () => expect((await send('track?validate=only')).status).toBe(200));
  const { sourceIdentifier } = source;
  const kafka = createKafka({ KAFKA_BROKERS: local().kafka.brokers }, 'test');
  // The topic exists and both workers follow it, so only the time of a change counts.
  const open = { ...shopPlan(sourceIdentifier, 1), additionalEvents: true };
  await activate(kafka, { source: sourceIdentifier, plan: open, mode: 'refuse' });
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await activate(kafka, { source: sourceIdentifier, plan: shopPlan(sourceIdentifier, 2), mode: 'refuse' });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  // Connections go to the workers in turn.
  const answers = await Promise.all(Array.from({ length: 20 }, () => send('track?validate=only')));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
  expect(await gateway.stop()).toBe(0);

  gateway = await startGatewayProcess(await withoutKafka());
  const refused = await send('track');
  expect(refused).toMatchObject({ status: 400, body: unknownEvent });
  expect(await gateway.stop()).toBe(0);

  // The message is on the disk, and the next gateway brings it to Kafka.
  gateway = await startGatewayProcess({ GATEWAY_DATA_DIR: folder });
  const id = refused.headers.get('x-request-id');
  await eventually(async () => {
    const query = 'SELECT event, violations FROM refused_messages FINAL WHERE request_id = {id:UUID}';
    expect(await select(query, { id })).toEqual([{ event: 'order_complete', violations: ['unknown_event'] }]);
  });
  expect(await gateway.stop()).toBe(0);
}, 240_000);

it('a request that is refused whole is answered 503 when its messages cannot be kept', async () => {
  gateway = await startGatewayProcess({ ...(await withoutKafka()), SPOOL_MAX_BYTES: '1' }, 'open');
  await eventually(async () => expect((await send('track?validate=only')).status).toBe(400));
  expect((await send('track')).status).toBe(503);
  expect((await send('trackBatch', { list: [misspelt] })).status).toBe(503);
  // A message that would not be kept is still refused.
  expect((await send('track', { userId: 'u' })).status).toBe(400);
}, 120_000);
