import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  freePort,
  prepareClickHouse,
  type RunningKafka,
  ServerProcess,
  signalGroup,
  startKafka,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AlertmanagerServer, type AlertMessage } from '../observability/alertmanager-server.js';
import { PrometheusServer } from '../observability/prometheus-server.js';
import { catalogLoadCalls } from './catalog-load.js';
import { type ConsumerApp, startConsumer } from './consumer-process.js';
import { GatewayServer } from './gateway-server.js';
import { summarizeAnswers, HttpGenerator } from './http-generator.js';

// Ten minutes without ClickHouse, in real time: the shipped rules on a real Prometheus, the shipped routes and inhibition
// on a real Alertmanager (docs/decisions/0045-alerts.md). Needs both programs and twenty minutes.

const apps: readonly ConsumerApp[] = ['tracking', 'catalog', 'push-interaction'];
const minute = 60_000;
const wellMs = 2 * minute;
const downMs = 10 * minute;
/** Exceeds the five minutes between two notifications of a group. */
const afterwardsMs = 6 * minute;

let folder: string;
let kafka: RunningKafka;
let clickhouse: ServerProcess;
let gateway: GatewayServer;
let consumers: ServerProcess[];
let alertmanager: AlertmanagerServer;
let prometheus: PrometheusServer;

describe.runIf(PrometheusServer.isInstalled() && AlertmanagerServer.isInstalled())(
  'a long outage of ClickHouse',
  () => {
    beforeAll(startAll, 5 * minute);
    afterAll(stopAll, 2 * minute);

    it('is one page, and no ticket is sent while it lasts', pagesOnce, wellMs + downMs + afterwardsMs + 5 * minute);
  },
);

async function startAll(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'sluice-paging-'));
  kafka = await startKafka({ dataDir: join(folder, 'kafka') });
  const { server, url } = await prepareClickHouse({ dataDir: join(folder, 'clickhouse'), port: await freePort() });
  clickhouse = await ServerProcess.spawn(server);
  await clickhouse.untilReady(minute);
  const options = { brokers: kafka.brokers, clickhouseUrl: url, database: 'default', folder };
  consumers = await Promise.all(apps.map((app) => startConsumer(app, options)));
  gateway = await GatewayServer.start(kafka.brokers, folder);
  alertmanager = await AlertmanagerServer.start();
  const targets = apps.map((app, i) => [app, `http://127.0.0.1:${consumers[i]?.spec.port}`] as const);
  prometheus = await PrometheusServer.start(
    { gateway: gateway.managementUrl, ...Object.fromEntries(targets) },
    { asShipped: true, alertmanager: alertmanager.address },
  );
}

async function stopAll(): Promise<void> {
  await prometheus.stop();
  await alertmanager.stop();
  await Promise.all([gateway.stop(), ...consumers.map((consumer) => consumer.stop())]);
  await Promise.all([clickhouse.stop(), kafka.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function pagesOnce(): Promise<void> {
  const loads = [new HttpGenerator(gateway.target, 'paged'), new HttpGenerator(gateway.target, '', catalogLoadCalls())];
  for (const load of loads) load.start(5);
  await sleep(wellMs);
  expect(alertmanager.notifications).toEqual([]);

  const downAt = Date.now();
  signalGroup(clickhouse.pid, 'SIGSTOP');
  await sleep(downMs);
  const inhibited = new Set(await alertmanager.inhibited());
  signalGroup(clickhouse.pid, 'SIGCONT');
  await sleep(afterwardsMs);
  for (const load of loads) await load.stop();

  const answers = loads.map((load) => summarizeAnswers(load.sent).byStatus);
  const sent = alertmanager.notifications.map((notification) => withSeconds(notification, downAt));
  console.log(JSON.stringify({ answers, sent, inhibited: [...inhibited] }));
  for (const byStatus of answers) expect(Object.keys(byStatus)).toEqual(['200']);
  const pages = sent.filter(({ severity, status }) => severity === 'page' && status === 'firing');
  expect(pages.map(({ firing }) => firing)).toEqual([['DataBudgetBurn']]);
  const pagedAt = pages[0]?.seconds ?? 0;
  expect(inhibited.size).toBeGreaterThan(2);
  expect(sent.filter(({ severity, seconds }) => severity === 'ticket' && seconds > pagedAt)).toEqual([]);
}

const withSeconds = ({ time, firing, ...rest }: AlertMessage, since: number) => ({
  seconds: Math.round((time.getTime() - since) / 1_000),
  ...rest,
  firing: [...new Set(firing)],
});
