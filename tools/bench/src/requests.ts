import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trackTopic } from '@sluice/contracts';
import { createKafka, ensureTopics } from '@sluice/kafka';
import { freePort, isOk } from '@sluice/testing';
import { type BenchGateway, olderCheckout, startBenchGateway } from './apps.js';
import { measureBursts } from './burst.js';
import { kafkaConfig } from './kafka-config.js';
import { type LoadOrder } from './load.js';
import { type BenchOptions } from './options.js';
import { memoryMb } from './process-usage.js';
import { progress } from './progress.js';
import { type BenchReport, joinReports } from './report.js';
import { compare, type LoadTarget } from './rounds.js';
import { createSender } from './source.js';
import { type BenchServers } from './servers.js';

const batchSize = 100;

/**
 * Measures what the gateway acknowledges, compared with the floor: the least work any gateway could do. With
 * OLDER_CHECKOUT, the gateway of that checkout is in the place of the floor.
 */
export async function measureRequests(servers: BenchServers, { load, profiles }: BenchOptions): Promise<BenchReport> {
  const sender = await createSender(servers);
  const gateway = await startBenchGateway(servers, profiles);
  const makeTarget = ({ process: { pid }, url }: BenchGateway): LoadTarget => ({
    pid,
    url: `${url}${sender.path}`,
    headers: sender.headers,
  });
  const sluice = makeTarget(gateway);
  const floor =
    olderCheckout === undefined
      ? await startFloor(servers)
      : makeTarget(await startBenchGateway(servers, profiles, { name: 'older-gateway', checkout: olderCheckout }));

  const reports: BenchReport[] = [];
  for (const connections of load.connections) {
    for (const [path, items] of [
      ['track', 1],
      ['trackBatch', batchSize],
    ] as const) {
      const group =
        items === 1 ? `${path}, ${connections} connections` : `${path} of ${items}, ${connections} connections`;
      progress(group);
      const order: Pick<LoadOrder, 'items' | 'connections'> = { items, connections };
      reports.push(await compare(group, [targetAt(sluice, path), targetAt(floor, path)], order, load));
    }
  }
  reports.push(await measureBursts([targetAt(sluice, 'trackBatch'), targetAt(floor, 'trackBatch')], batchSize, load));
  const { resident, peak } = memoryMb(gateway.process.pid);
  const memory = { group: 'gateway after all this', unit: 'MiB' };
  const { figures, failures } = joinReports(reports);
  return {
    figures: [
      ...figures,
      { ...memory, measure: 'resident memory', sluice: resident, floor: memoryMb(floor.pid).resident },
      { ...memory, measure: 'its peak', sluice: peak, floor: memoryMb(floor.pid).peak },
    ],
    failures,
  };
}

const targetAt = ({ url, ...target }: LoadTarget, path: string): LoadTarget => ({ ...target, url: `${url}/${path}` });

async function startFloor(servers: BenchServers): Promise<LoadTarget> {
  const config = kafkaConfig(servers.brokers);
  await ensureTopics(createKafka(config, 'bench'), config, [trackTopic]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { pid } = await servers.start({
    name: 'floor',
    command: process.execPath,
    args: [fileURLToPath(new URL('./floor-process.js', import.meta.url))],
    env: { FLOOR_PORT: String(port), FLOOR_BROKERS: servers.brokers.join(',') },
    port,
    logFile: join(servers.folder, 'floor.log'),
    isReady: () => isOk(`${url}/ready`),
  });
  return { pid, url, headers: { 'content-type': 'application/json' } };
}
