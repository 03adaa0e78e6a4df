import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClickHouse } from './clickhouse/start-clickhouse.js';
import { dockerAnswers } from './docker-engine.js';
import { startKafka } from './kafka/start-kafka.js';
import { type RunningServers } from './running-servers.js';

const log = (step: string) => {
  process.stderr.write(`${step}\n`);
};

async function startEmbedded(): Promise<RunningServers> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', removeAtExit);
  const [kafka, clickhouse] = await Promise.allSettled([
    startKafka({ dataDir: join(folder, 'kafka'), onProgress: log }),
    startClickHouse({ dataDir: join(folder, 'clickhouse') }),
  ]);
  const stop = async () => {
    for (const start of [kafka, clickhouse]) if (start.status === 'fulfilled') await start.value.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    process.off('exit', removeAtExit);
  };
  if (kafka.status === 'fulfilled' && clickhouse.status === 'fulfilled') {
    return { kafkaBrokers: kafka.value.brokers, clickhouseUrl: clickhouse.value.url, stop };
  }
  await stop();
  throw kafka.status === 'rejected' ? kafka.reason : (clickhouse as PromiseRejectedResult).reason;
}

/** Starts an empty Kafka and ClickHouse, in containers if an engine answers, else embedded. */
export async function startTestServers(): Promise<RunningServers> {
  if (!(await dockerAnswers(process.env['DOCKER_HOST']))) return startEmbedded();
  const { startContainers } = await import('./containers.js');
  return startContainers();
}
