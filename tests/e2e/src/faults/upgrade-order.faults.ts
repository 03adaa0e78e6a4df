import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePorts, type ServerProcess } from '@sluice/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Balancer } from '../balancer.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { startTracking } from './consumer-process.js';
import { type EventsLedger } from './events-ledger.js';
import { createSource } from './gateway-server.js';
import { summarizeAnswers, HttpGenerator } from './http-generator.js';
import { TestBed } from './test-bed.js';
import { knowsWaitFor, makeNextVersion, thisCheckout, waitFor } from './versions.js';

// Rolls two gateways and two consumers old -> new -> old under load, both at once as one `helm upgrade` does, with the
// waits of the chart's init containers (docs/decisions/0043-upgrade-order.md).

const olderCheckout = process.env['OLDER_CHECKOUT'];
/** Lead of the half that must not go first: its image has been pulled, the other one's has not. */
const leadMs = 6_000;
const restMs = 3_000;
let bed: TestBed;
let byUser: EventsLedger;
let balancer: Balancer | undefined;
let load: HttpGenerator | undefined;
let ports: number[];
let gatewayManagementPorts: number[];
/** Management ports of two consumers, and of the two that replace them. */
let consumerManagementPorts: number[];
let gateways: GatewayProcess[] = [];
let consumers: ServerProcess[] = [];

beforeEach(async () => {
  bed = await TestBed.start();
  byUser = bed.ledger.identifiedBy('user_id');
  ports = await freePorts(8);
  gatewayManagementPorts = ports.slice(2, 4);
  consumerManagementPorts = ports.slice(4, 8);
});
afterEach(async () => {
  await load?.stop();
  balancer?.close();
  await Promise.all([...gateways, ...consumers].map((service) => service.stop()));
  await byUser.close();
  await bed.stop();
}, 120_000);

async function start(checkout: string): Promise<HttpGenerator> {
  consumers = [await startConsumer(checkout, 0), await startConsumer(checkout, 1)];
  const source = await createSource(bed.brokers);
  gateways = [await startGateway(checkout, 0), await startGateway(checkout, 1)];
  balancer = new Balancer(ports.slice(0, 2));
  load = new HttpGenerator({ url: `http://127.0.0.1:${await balancer.start()}`, ...source }, 'upgrade');
  load.start(150);
  await sleep(restMs);
  return load;
}

const startConsumer = (checkout: string, place: number): Promise<ServerProcess> =>
  startTracking({ ...bed.options, checkout, managementPort: consumerManagementPorts[place] });

const startGateway = (checkout: string, place: number): Promise<GatewayProcess> =>
  startGatewayProcess(
    {
      KAFKA_BROKERS: bed.brokers.join(','),
      TOPIC_PARTITIONS: '6',
      GATEWAY_PORT: String(ports[place]),
      MANAGEMENT_PORT: String(gatewayManagementPorts[place]),
      GATEWAY_DATA_DIR: join(bed.options.folder, `gateway-${place}`),
    },
    'ready',
    checkout,
  );

const metricsUrl = (port: number): string => `http://127.0.0.1:${port}/metrics`;
const gate = async (checkout: string, kind: 'consumers' | 'gateways', waits: boolean): Promise<void> => {
  if (!waits || !knowsWaitFor(checkout)) return;
  const addresses = {
    gateways: gatewayManagementPorts.map(metricsUrl),
    consumers: consumerManagementPorts.map(metricsUrl),
  };
  await waitFor(checkout, bed.brokers, kind, addresses);
};

/** Like a Deployment: each new process is ready before an old one stops. */
async function rollConsumers(checkout: string, from: 0 | 2, waits: boolean): Promise<void> {
  for (const index of [0, 1]) {
    await gate(checkout, 'gateways', waits);
    const replacement = await startConsumer(checkout, from + index);
    await consumers[index]?.stop(30_000);
    consumers[index] = replacement;
  }
}

/** Like a StatefulSet: each gateway is stopped, and its successor waits in its init container. */
async function rollGateways(checkout: string, waits: boolean): Promise<void> {
  for (const [index, gateway] of gateways.entries()) {
    const port = ports[index] ?? 0;
    balancer?.leave(port);
    await sleep(500);
    await gateway.stop();
    await gate(checkout, 'consumers', waits);
    gateways[index] = await startGateway(checkout, index);
    balancer?.returns(port);
    await sleep(restMs);
  }
}

const after = async (ms: number, work: () => Promise<void>): Promise<void> => {
  await sleep(ms);
  await work();
};

/** Upgrades with the gateways in the lead, rolls back with the consumers in the lead: the wrong order both times. */
async function thereAndBack(older: string, newer: string, waits: boolean): Promise<HttpGenerator> {
  const load = await start(older);
  await Promise.all([rollGateways(newer, waits), after(leadMs, () => rollConsumers(newer, 2, waits))]);
  await sleep(restMs);
  await Promise.all([rollConsumers(older, 0, waits), after(leadMs, () => rollGateways(older, waits))]);
  await sleep(restMs);
  await load.pause();
  console.log(`answers: ${JSON.stringify(summarizeAnswers(load.sent))}`);
  expect(Object.keys(summarizeAnswers(load.sent).byStatus)).toEqual(['200']);
  return load;
}

async function expectAllStored({ acknowledged }: HttpGenerator): Promise<void> {
  await eventually(async () => {
    expect((await byUser.balance(acknowledged)).lost).toBe(0);
  }, 120_000);
  await sleep(3_000);
  const balance = await byUser.balance(acknowledged);
  console.log(`upgrade order: ${JSON.stringify(balance)}`);
  const sent = acknowledged.size;
  expect(balance).toEqual({ sent, stored: sent, unique: sent, lost: 0, doubled: 0 });
}

it('nothing is refused, lost or doubled when a version with a new contract comes and goes under load', async () => {
  await expectAllStored(await thereAndBack(thisCheckout, await makeNextVersion(bed.options.folder), true));
}, 600_000);

it('without the waits the same upgrade sends messages to the dead letters', async () => {
  const { acknowledged } = await thereAndBack(thisCheckout, await makeNextVersion(bed.options.folder), false);
  await sleep(5_000);
  const { sent, lost } = await byUser.balance(acknowledged);
  console.log(`without waits: ${lost} of ${sent} are dead letters`);
  expect(lost).toBeGreaterThan(0);
}, 600_000);

it.skipIf(olderCheckout === undefined)(
  'an older checkout is upgraded to this one and back under load',
  async () => {
    await expectAllStored(await thereAndBack(olderCheckout ?? '', thisCheckout, true));
  },
  600_000,
);
