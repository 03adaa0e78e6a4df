import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import { freePorts, prepareKafka, ServerProcess } from '@sluice/testing';
import { startTracking } from './consumer-process.js';
import { type Balance, EventsLedger } from './events-ledger.js';
import { GatewayServer } from './gateway-server.js';
import { HttpGenerator } from './http-generator.js';

/** A gateway and tracking service with their own Kafka, which can be killed, and their own table of events. */
export class KafkaDown {
  private generators: HttpGenerator[] = [];

  private constructor(
    private readonly folder: string,
    private server: ServerProcess,
    readonly gateway: GatewayServer,
    private tracking: ServerProcess,
    readonly ledger: EventsLedger,
  ) {}

  /** @param settings of the gateway */
  static async start(
    clickhouseUrl: string,
    settings: Record<string, string> = {},
    trackingSettings: Record<string, string> = {},
  ): Promise<KafkaDown> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-down-'));
    const { brokers, servers } = await prepareKafka({ dataDir: join(folder, 'kafka'), ports: await freePorts(1) });
    const [spec] = servers;
    if (!spec) throw new Error('there is no broker');
    const server = await ServerProcess.spawn(spec);
    await server.untilReady(60_000);
    const ledger = await emptyLedger(clickhouseUrl);
    const { database } = ledger;
    const [gateway, tracking] = await Promise.all([
      asSupervised(() => GatewayServer.start(brokers, folder, settings)),
      asSupervised(() => startTracking({ brokers, clickhouseUrl, database, folder, settings: trackingSettings })),
    ]);
    return new KafkaDown(folder, server, gateway, tracking, ledger);
  }

  get kafka(): ServerProcess {
    return this.server;
  }

  async restartKafka(): Promise<void> {
    this.server = await ServerProcess.spawn(this.server.spec);
    await this.server.untilReady(120_000);
  }

  /** Kills the tracking service and starts another one. */
  async replaceTracking(): Promise<void> {
    await this.tracking.stop(0);
    this.tracking = await ServerProcess.spawn(this.tracking.spec);
    await this.tracking.untilReady(90_000);
  }

  /** Starts load on the gateway. */
  load(name: string, requestsPerSecond: number): HttpGenerator {
    const generator = new HttpGenerator(this.gateway.target, name);
    this.generators.push(generator);
    generator.start(requestsPerSecond);
    return generator;
  }

  /** Compares the messages answered with 200 with the stored ones, after all are stored or the time is over. */
  async balance(timeoutMs: number): Promise<Balance> {
    const acknowledged = new Set(this.generators.flatMap((generator) => [...generator.acknowledged]));
    const deadline = Date.now() + timeoutMs;
    let balance = await this.ledger.balance(acknowledged);
    while (balance.lost > 0 && Date.now() < deadline) {
      await sleep(500);
      balance = await this.ledger.balance(acknowledged);
    }
    // Duplicates can be stored late.
    await sleep(3_000);
    return this.ledger.balance(acknowledged);
  }

  async stop(): Promise<void> {
    await Promise.all(this.generators.map((generator) => generator.stop()));
    await this.gateway.stop();
    await this.tracking.stop();
    await this.server.stop();
    await this.ledger.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Retries a start: a service exits when a Kafka that has just started has no coordinator or leaders yet. */
async function asSupervised<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === 5) throw error;
      await sleep(1_000);
    }
  }
}

async function emptyLedger(clickhouseUrl: string): Promise<EventsLedger> {
  const database = `down_${Date.now()}_${process.pid}`;
  const client = createClient({ url: clickhouseUrl });
  await client.command({ query: `CREATE DATABASE ${database}` });
  await client.close();
  const ledger = new EventsLedger(clickhouseUrl, database, 'user_id');
  await ledger.prepare();
  return ledger;
}
